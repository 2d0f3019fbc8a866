/// A unit's output for a terminal: text, tabs, line ends and backspaces. Everything else that a terminal would act upon is escaped.
struct TerminalFilter {
    /// The beginning of a character, at most 3 bytes.
    private var pending: [UInt8] = []

    /// - Parameter bytes: the next ones, cut anywhere.
    mutating func show(_ bytes: [UInt8]) -> String {
        var text = ""
        var rest = (pending + bytes)[...]
        pending = []
        while !rest.isEmpty {
            guard let length = Self.characterLength(rest) else {
                pending = Array(rest)
                break
            }
            text += Self.text(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return text
    }

    /// - Returns: `nil` when more has to come.
    private static func characterLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        let wanted = switch bytes.first ?? 0 {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
        let continuation = bytes.dropFirst().prefix(wanted - 1).prefix { 0x80...0xBF ~= $0 }
        if continuation.count == wanted - 1 { return wanted }
        return bytes.count < wanted && continuation.count == bytes.count - 1 ? nil : 1
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        guard let decoded = String(validating: bytes, as: UTF8.self) else { return "\u{FFFD}" }
        return decoded.unicodeScalars.map { "\u{8}\t\n\r".unicodeScalars.contains($0) ? String($0) : UntrustedText.escaped($0) }.joined()
    }
}
