/// One line of Intel HEX: `:` count, address, type, data and checksum in hexadecimal (Intel, revision A, 1988).
struct IntelHexRecord {
    enum Kind: UInt8 {
        case data = 0, endOfFile, segmentAddress, segmentStart, linearAddress, linearStart
    }

    var kind: Kind
    /// The low 16 bits of the address.
    var offset: UInt16
    var data: [UInt8]

    /// - Parameter line: without line ending, not empty.
    init(_ line: ArraySlice<UInt8>, number: Int) throws(FirmwareFileFault) {
        let bytes = try Self.bytes(of: line, number: number)
        let stated = Int(bytes[0])
        let actual = bytes.count - 5
        guard stated == actual else { throw .lengthDiffers(line: number, stated: stated, actual: actual) }
        let sum = bytes.dropLast().reduce(UInt8(0), &+)
        guard bytes[bytes.count - 1] == 0 &- sum else {
            throw .checksumDiffers(line: number, stated: bytes[bytes.count - 1], computed: 0 &- sum)
        }
        guard let kind = Kind(rawValue: bytes[3]) else { throw .recordTypeUnknown(line: number, type: bytes[3]) }
        self.kind = kind
        offset = UInt16(bytes[1]) << 8 | UInt16(bytes[2])
        data = Array(bytes[4..<(bytes.count - 1)])
        guard hasItsForm else { throw .recordMalformed(line: number, type: bytes[3]) }
    }

    /// Big-endian, as the two bytes of an address record.
    var number: UInt32 { data.reduce(0) { $0 << 8 | UInt32($1) } }

    private var hasItsForm: Bool {
        switch kind {
        case .data: true
        case .endOfFile: data.isEmpty
        case .segmentAddress, .linearAddress: data.count == 2 && offset == 0
        case .segmentStart, .linearStart: data.count == 4 && offset == 0
        }
    }

    /// At least five: count, address, type and checksum.
    private static func bytes(of line: ArraySlice<UInt8>, number: Int) throws(FirmwareFileFault) -> [UInt8] {
        let digits = line.dropFirst()
        // The longest record has 255 bytes of data.
        guard line.first == UInt8(ascii: ":"), digits.count.isMultiple(of: 2), (10...520).contains(digits.count) else {
            throw .notARecord(line: number)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else {
                throw .notARecord(line: number)
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func nibble(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x41...0x46: character - 0x37
        case 0x61...0x66: character - 0x57
        default: nil
        }
    }
}
