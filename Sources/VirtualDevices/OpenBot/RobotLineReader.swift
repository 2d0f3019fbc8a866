/// The sketch's reader of bytes: a header, a body in one buffer, a line feed. Its state outlives links.
struct RobotLineReader: Sendable {
    enum Result: Sendable, Equatable {
        case more
        case line(header: UInt8, body: [UInt8])
        /// The buffer has no bounds check: what lies behind it was written over.
        case overrun
    }

    private let size: Int
    private var header: UInt8?
    private var body: [UInt8] = []

    init(size: Int) { self.size = size }

    mutating func take(_ byte: UInt8) -> Result {
        guard byte != UInt8(ascii: "\n") else {
            defer { (header, body) = (nil, []) }
            // The terminating zero is written, too.
            guard body.count < size else { return .overrun }
            return .line(header: header ?? 0, body: body)
        }
        guard header != nil else {
            header = byte
            return .more
        }
        guard body.count < size else { return .overrun }
        body.append(byte)
        return .more
    }
}

/// The C library's ways with a line's body.
struct RobotFields: Sendable {
    private let text: [UInt8]

    /// A zero byte ends a C string.
    init(_ body: [UInt8]) { text = Array(body.prefix { $0 != 0 }) }

    /// As `strtok` has them: separators in front are skipped.
    var fields: [[UInt8]] { text.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") }.map(Array.init) }

    /// The whole body as a number.
    var number: Int32 { Self.number(text) }

    /// As `atoi` of newlib does it: blanks, a sign, digits up to the first other character; too much is the nearest there is.
    static func number(_ text: [UInt8]) -> Int32 {
        var rest = text[...].drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        var value: Int64 = 0
        for digit in rest.prefix(while: { (0x30...0x39).contains($0) }) {
            value = min(value * 10 + Int64(digit - 0x30), 1 << 40)
        }
        return Int32(clamping: isNegative ? -value : value)
    }
}
