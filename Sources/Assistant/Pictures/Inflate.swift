/// What zlib and deflate compressed (RFC 1950, RFC 1951).
struct Inflate {
    private struct Broken: Error {}

    /// Codes by their lengths; a code of that length and below its end is there (RFC 1951, 3.2.2).
    private struct Codes {
        /// How many codes of each length, 1 to 15.
        var counts = [Int](repeating: 0, count: 16)
        /// In the order of their codes.
        var symbols: [Int] = []

        init(lengths: ArraySlice<Int>) {
            for length in lengths where length > 0 { counts[length] += 1 }
            for length in 1...15 { symbols += lengths.enumerated().filter { $0.element == length }.map(\.offset) }
        }
    }

    private static let lengthBases = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289,
        16385, 24577,
    ]
    private static let codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private let input: [UInt8]
    private let limit: Int
    private var place: Int
    private var bit = 0
    private var output: [UInt8] = []

    /// - Parameter limit: bytes that may come of it.
    /// - Returns: `nil` where it is broken, or more.
    static func zlib(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        guard bytes.count >= 6, bytes[0] & 0x0F == 8, (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0, bytes[1] & 0x20 == 0 else { return nil }
        var inflate = Inflate(input: bytes, limit: limit, place: 2)
        guard (try? inflate.run()) != nil else { return nil }
        return inflate.output
    }

    private init(input: [UInt8], limit: Int, place: Int) { (self.input, self.limit, self.place) = (input, limit, place) }

    private mutating func run() throws {
        var isLast = false
        while !isLast {
            isLast = try bits(1) == 1
            switch try bits(2) {
            case 0: try stored()
            case 1:
                let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
                try block(Codes(lengths: lengths[...]), Codes(lengths: [Int](repeating: 5, count: 30)[...]))
            case 2:
                let (literals, distances) = try dynamicCodes()
                try block(literals, distances)
            default: throw Broken()
            }
        }
    }

    // MARK: - Bits

    private mutating func bits(_ count: Int) throws -> Int {
        var value = 0
        for index in 0..<count {
            guard place < input.count else { throw Broken() }
            value |= Int(input[place] >> UInt8(bit) & 1) << index
            bit += 1
            if bit == 8 { (place, bit) = (place + 1, 0) }
        }
        return value
    }

    private mutating func symbol(_ codes: Codes) throws -> Int {
        var (code, first, index) = (0, 0, 0)
        for length in 1...15 {
            code |= try bits(1)
            let count = codes.counts[length]
            if code - first < count { return codes.symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw Broken()
    }

    // MARK: - Blocks

    private mutating func stored() throws {
        if bit > 0 { (place, bit) = (place + 1, 0) }
        guard place + 4 <= input.count else { throw Broken() }
        let size = Int(input[place]) | Int(input[place + 1]) << 8
        let check = Int(input[place + 2]) | Int(input[place + 3]) << 8
        place += 4
        guard size == ~check & 0xFFFF, place + size <= input.count, output.count + size <= limit else { throw Broken() }
        output += input[place..<place + size]
        place += size
    }

    private mutating func dynamicCodes() throws -> (literals: Codes, distances: Codes) {
        let literalCount = try bits(5) + 257
        let distanceCount = try bits(5) + 1
        var lengthLengths = [Int](repeating: 0, count: 19)
        for index in 0..<(try bits(4) + 4) { lengthLengths[Self.codeLengthOrder[index]] = try bits(3) }
        let lengthCodes = Codes(lengths: lengthLengths[...])
        var lengths: [Int] = []
        while lengths.count < literalCount + distanceCount {
            switch try symbol(lengthCodes) {
            case 16:
                guard let last = lengths.last else { throw Broken() }
                lengths += [Int](repeating: last, count: try bits(2) + 3)
            case 17: lengths += [Int](repeating: 0, count: try bits(3) + 3)
            case 18: lengths += [Int](repeating: 0, count: try bits(7) + 11)
            case let length: lengths.append(length)
            }
        }
        guard lengths.count == literalCount + distanceCount else { throw Broken() }
        return (Codes(lengths: lengths[..<literalCount]), Codes(lengths: Array(lengths[literalCount...])[...]))
    }

    private mutating func block(_ literals: Codes, _ distances: Codes) throws {
        while true {
            let symbol = try symbol(literals)
            if symbol == 256 { return }
            if symbol < 256 {
                guard output.count < limit else { throw Broken() }
                output.append(UInt8(symbol))
            } else {
                try copy(lengthSymbol: symbol - 257, distances)
            }
        }
    }

    private mutating func copy(lengthSymbol: Int, _ distances: Codes) throws {
        guard lengthSymbol < Self.lengthBases.count else { throw Broken() }
        let extra = lengthSymbol < 8 || lengthSymbol == 28 ? 0 : lengthSymbol / 4 - 1
        let length = Self.lengthBases[lengthSymbol] + (try bits(extra))
        let distanceSymbol = try symbol(distances)
        guard distanceSymbol < Self.distanceBases.count else { throw Broken() }
        let distance = Self.distanceBases[distanceSymbol] + (try bits(distanceSymbol < 4 ? 0 : distanceSymbol / 2 - 1))
        guard distance <= output.count, output.count + length <= limit else { throw Broken() }
        for _ in 0..<length { output.append(output[output.count - distance]) }
    }
}
