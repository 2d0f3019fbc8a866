import REPL

/// A part of one of several files as an ``InputPiece``: its bytes, with exceptions for those on which the unit would act.
struct FilePiece: Sendable, Hashable {
    /// The file's place among those that are sent together.
    let file: Int
    /// Where it ends in its file.
    let end: Int
    let bytes: [UInt8]

    private static let leastByteCount = 240
    /// Of content: a shorter rest of a packet goes with the next.
    private static let shortestByteCount = 32
    private static let standIn = InputPiece.digitBase
    /// The distance of an exception from the one before it is one byte.
    private static let mostDistance = InputPiece.digitCount - 1

    /// Pieces end where packets do, so that a window of packets is a window of pieces.
    /// - Parameters:
    ///   - offset: in the first file.
    ///   - packetByteCount: see ``PieceStream/packetByteCount(for:)``.
    static func pieces(of files: [ScriptSet.File], from offset: Int, packetByteCount: Int) -> [FilePiece] {
        let most = max(packetByteCount, leastByteCount / packetByteCount * packetByteCount)
        var sent = 0
        var pieces: [FilePiece] = []
        var check: [UInt8] = []
        for (number, file) in files.enumerated() {
            var rest = file.bytes[min(number == 0 ? offset : 0, file.bytes.count)...]
            // The first piece of all is for its file and place, whatever was sent before.
            if check.isEmpty { check = Array("\(file.copyName)\(rest.startIndex)".utf8) }
            if rest.isEmpty, pieces.isEmpty { check = [] }
            while !rest.isEmpty {
                var room = most - sent % packetByteCount
                if room < InputPiece.headerByteCount + shortestByteCount { room += packetByteCount }
                let (body, exceptions) = coded(rest, room: room - InputPiece.headerByteCount)
                rest = rest.dropFirst(body.count)
                let bytes = InputPiece.bytes(
                    body, exceptions: exceptions, content: file.bytes[rest.startIndex - body.count..<rest.startIndex], after: &check)
                sent += bytes.count
                pieces.append(FilePiece(file: number, end: rest.startIndex, bytes: bytes))
            }
        }
        return pieces
    }

    /// As much of the content as fits.
    private static func coded(_ content: ArraySlice<UInt8>, room: Int) -> (body: [UInt8], exceptions: [UInt8]) {
        var (body, exceptions, last): ([UInt8], [UInt8], Int) = ([], [], 0)
        for byte in content.prefix(room) {
            let isException = InputPiece.forbidden.contains(byte)
            guard body.count + exceptions.count + (isException ? 3 : 1) <= room else { break }
            guard isException else {
                body.append(byte)
                continue
            }
            guard body.count - last <= mostDistance else { break }
            exceptions += [InputPiece.digitBase + UInt8(body.count - last), InputPiece.digitBase + byte]
            last = body.count
            body.append(standIn)
        }
        return (body, exceptions)
    }
}
