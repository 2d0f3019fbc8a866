import FoundationEssentials
import Support

/// Data at addresses, in any order, with gaps.
public struct IntelHex: Sendable, Hashable {
    /// The largest file in bytes. An image of 1 MiB has 2.9 MiB in records of 16 bytes.
    public static let fileSizeLimit = 8 * 1024 * 1024

    /// One record, as a place in ``bytes``.
    private struct Piece: Hashable, Sendable {
        var address: UInt32
        var start: Int
        var count: Int
        var line: Int
        var end: UInt64 { UInt64(address) + UInt64(count) }
    }

    /// Sorted by address, without overlaps.
    private let pieces: [Piece]
    private let bytes: [UInt8]

    /// Nothing may follow the end-of-file record: what a reader ignores silently may be half of the firmware.
    public init(parsing text: [UInt8]) throws(FirmwareFileFault) {
        guard text.count <= Self.fileSizeLimit else { throw .tooLarge(byteCount: text.count, limit: Self.fileSizeLimit) }
        var parser = Parser()
        // Not `split`: a file of line feeds alone would become millions of slices.
        var rest = text[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            try parser.take(rest[..<end])
            rest = rest[min(end + 1, rest.endIndex)...]
        }
        guard parser.hasEnded else {
            if parser.lastLine == 0 { throw .empty }
            throw .endMissing(line: parser.lastLine)
        }
        pieces = try Self.sorted(parser.pieces)
        bytes = parser.bytes
    }

    private struct Parser {
        var pieces: [Piece] = []
        var bytes: [UInt8] = []
        var hasEnded = false
        /// With content.
        var lastLine = 0
        private var line = 0
        private var base: UInt32 = 0
        private var isSegmented = false

        mutating func take(_ raw: ArraySlice<UInt8>) throws(FirmwareFileFault) {
            line += 1
            let isBlank: (UInt8) -> Bool = { $0 == 0x0D || $0 == 0x20 || $0 == 0x09 }
            guard let end = raw.lastIndex(where: { !isBlank($0) }) else { return }
            guard !hasEnded else { throw .contentAfterEnd(line: line) }
            lastLine = line
            let record = try IntelHexRecord(raw[...end], number: line)
            switch record.kind {
            case .data: try add(record)
            case .endOfFile: hasEnded = true
            case .segmentAddress: (base, isSegmented) = (record.number << 4, true)
            case .linearAddress: (base, isSegmented) = (record.number << 16, false)
            case .segmentStart, .linearStart: break
            }
        }

        private mutating func add(_ record: IntelHexRecord) throws(FirmwareFileFault) {
            guard !record.data.isEmpty else { return }
            let end = UInt64(record.offset) + UInt64(record.data.count)
            // Addresses wrap at 64 KiB within a segment, linear ones at 4 GiB. Nobody means that.
            guard !isSegmented || end <= 0x1_0000, UInt64(base) + end <= 0x1_0000_0000 else {
                throw .damaged(line: line, reason: "runs past the end of its address range")
            }
            let address = base + UInt32(record.offset)
            pieces.append(Piece(address: address, start: bytes.count, count: record.data.count, line: line))
            bytes += record.data
        }
    }

    private static func sorted(_ pieces: [Piece]) throws(FirmwareFileFault) -> [Piece] {
        let sorted = pieces.sorted { ($0.address, $0.line) < ($1.address, $1.line) }
        for (lower, upper) in zip(sorted, sorted.dropFirst()) where lower.end > UInt64(upper.address) {
            throw .overlap(line: max(lower.line, upper.line), earlierLine: min(lower.line, upper.line), address: upper.address)
        }
        return sorted
    }

    /// How many of the bytes lie at other addresses.
    public func count(outside range: Range<UInt32>) -> Int { bytes.count - clipped(to: range).reduce(0) { $0 + $1.count } }

    /// From the lowest to the highest address in a range; gaps read as erased flash.
    public func image(in range: Range<UInt32>, limit: Int) throws(FirmwareFileFault) -> [UInt8] {
        let pieces = clipped(to: range)
        guard let first = pieces.first, let last = pieces.last else { throw .empty }
        let span = last.end - UInt64(first.address)
        guard span <= UInt64(limit) else {
            throw .spanTooLarge(line: last.line, otherLine: first.line, byteCount: span, limit: limit)
        }
        var image = [UInt8](repeating: 0xFF, count: Int(span))
        for piece in pieces {
            let place = Int(piece.address - first.address)
            image.replaceSubrange(place..<(place + piece.count), with: bytes[piece.start..<(piece.start + piece.count)])
        }
        return image
    }

    /// The first data that is not wholly in one of the ranges.
    func stray(from ranges: [Range<UInt32>]) -> (line: Int, address: UInt32)? {
        pieces.first { piece in !ranges.contains { $0.contains(piece.address) && piece.end <= UInt64($0.upperBound) } }.map {
            ($0.line, $0.address)
        }
    }

    private func clipped(to range: Range<UInt32>) -> [Piece] {
        pieces.compactMap { piece in
            let start = max(piece.address, range.lowerBound)
            let end = min(piece.end, UInt64(range.upperBound))
            guard UInt64(start) < end else { return nil }
            return Piece(address: start, start: piece.start + Int(start - piece.address), count: Int(end - UInt64(start)), line: piece.line)
        }
    }
}

/// One line of Intel HEX: `:` count, address, type, data and checksum in hexadecimal (Intel, revision A, 1988).
private struct IntelHexRecord {
    enum Kind: UInt8 { case data, endOfFile, segmentAddress, segmentStart, linearAddress, linearStart }

    let kind: Kind
    /// The low 16 bits of the address.
    let offset: UInt16
    let data: [UInt8]

    init(_ line: ArraySlice<UInt8>, number: Int) throws(FirmwareFileFault) {
        let digits = line.dropFirst()
        // The longest record has 255 bytes of data.
        guard line.first == UInt8(ascii: ":"), (10...520).contains(digits.count),
            let bytes = HexText.decode(String(decoding: digits, as: UTF8.self))
        else { throw .notARecord(line: number) }
        func damaged(_ reason: String) -> FirmwareFileFault { .damaged(line: number, reason: reason) }
        guard Int(bytes[0]) == bytes.count - 5 else { throw damaged("holds \(bytes.count - 5) bytes of data and says \(bytes[0])") }
        let sum = bytes.dropLast().reduce(UInt8(0), &+)
        guard bytes[bytes.count - 1] == 0 &- sum else {
            throw damaged(String(printf: "has checksum 0x%02X, its bytes give 0x%02X", bytes[bytes.count - 1], 0 &- sum))
        }
        guard let kind = Kind(rawValue: bytes[3]) else { throw damaged("is a record of type \(bytes[3]); Intel HEX has 0 to 5") }
        self.kind = kind
        offset = UInt16(bytes[1]) << 8 | UInt16(bytes[2])
        data = Array(bytes[4..<(bytes.count - 1)])
        guard hasItsForm else { throw damaged("is not a valid record of type \(bytes[3])") }
    }

    /// Big-endian.
    var number: UInt32 { data.reduce(0) { $0 << 8 | UInt32($1) } }

    private var hasItsForm: Bool {
        switch kind {
        case .data: true
        case .endOfFile: data.isEmpty
        case .segmentAddress, .linearAddress: data.count == 2 && offset == 0
        case .segmentStart, .linearStart: data.count == 4 && offset == 0
        }
    }
}
