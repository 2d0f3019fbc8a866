/// Pieces of data on their way to a helper that reads them from its REPL's input, without ever overrunning the unit's receive ring.
///
/// The helper prints a character for each piece as soon as the piece is out of the ring. The character counts, so a later one makes
/// up for a lost one.
package struct PieceStream {
    /// Before the first piece's character; the first of those that count.
    package static let firstCredit: UInt8 = 0x22
    package static let creditCount = 90
    /// Printed by a helper that gave up and swallows its input until it is interrupted.
    package static let surrender: UInt8 = 0x21
    /// Fewer than the characters, so that an old one is not taken for a new one.
    private static let mostUnderWay = creditCount / 2

    private var source: any IteratorProtocol<[UInt8]>
    private var unsent: [UInt8] = []
    private var isExhausted = false
    /// Where the pieces that are not out of the ring end in the stream.
    private var ends: [Int] = []
    private var accepted = 0
    private var sent = 0
    private var read = 0
    package private(set) var readCount = 0
    package private(set) var hasSurrendered = false

    package init(_ pieces: some Sequence<[UInt8]>) { source = pieces.makeIterator() }

    /// The longest packets of which as many bytes as possible fit the ring at once, if that costs no more than a few of each.
    package static func packetByteCount(for payloadSize: Int) -> Int {
        let whole = CommandPipeline.ringByteCount / max(1, payloadSize)
        let fitting = CommandPipeline.ringByteCount / (whole + 1)
        return whole > 0 && payloadSize - fitting <= payloadSize / 40 ? fitting : payloadSize
    }

    /// All was sent.
    package var isAtEnd: Bool { isExhausted && unsent.isEmpty }

    /// The next bytes to send; empty while the helper has to read first. Packets are full, as far as there are pieces.
    package mutating func nextPacket(atMost limit: Int) -> [UInt8] {
        while unsent.count < limit, ends.count < Self.mostUnderWay, !isExhausted {
            if let piece = source.next() {
                unsent += piece
                accepted += piece.count
                ends.append(accepted)
            } else {
                isExhausted = true
            }
        }
        let length = min(limit, unsent.count)
        guard length > 0, sent + length - read <= CommandPipeline.ringByteCount else { return [] }
        let packet = Array(unsent[..<length])
        unsent.removeFirst(length)
        sent += length
        return packet
    }

    /// - Returns: whether anything is new.
    package mutating func receive(_ output: some Sequence<UInt8>) -> Bool {
        let before = readCount
        for byte in output {
            if byte == Self.surrender { hasSurrendered = true }
            let number = Int(byte) - Int(Self.firstCredit)
            guard (0..<Self.creditCount).contains(number) else { continue }
            let newest = (number + Self.creditCount - readCount % Self.creditCount) % Self.creditCount
            guard newest < ends.count, ends[newest] <= sent else { continue }
            read = ends[newest]
            ends.removeFirst(newest + 1)
            readCount += newest + 1
        }
        return readCount > before || hasSurrendered
    }
}
