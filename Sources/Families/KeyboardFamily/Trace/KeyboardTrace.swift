import Foundation

/// The unit's report of its last 20 commands and keys (`GET /trace`), the only proof that it typed.
///
/// The unit cuts texts inside characters, and after one of several bytes names a wrong character: usages and modifiers count.
public struct KeyboardTrace: Sendable, Hashable {
    /// For commands and for keys (`debug_server.c`).
    static let places = 20
    /// Bytes of a command's text.
    private static let shownText = 28
    private static let cut = Array("...".utf8)

    /// A key in the trace, without the modifiers of Backspace and Enter; Ctrl is 02.
    struct Key: Sendable, Hashable {
        var usage: UInt8
        var modifiers: UInt8?
    }

    var commands: [[UInt8]]
    var keys: [Key]

    init(commands: [[UInt8]] = [], keys: [Key] = []) { (self.commands, self.keys) = (commands, keys) }

    /// - Throws: the reason, as text.
    public init(json bytes: [UInt8]) throws(Unreadable) {
        struct Document: Decodable { var ble, hid: [String] }
        // A text cut inside a character is not UTF-8: a strict decoder would reject the whole trace.
        let text = String(decoding: bytes, as: UTF8.self)
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(text.utf8)) else { throw Unreadable("it is no trace") }
        guard document.ble.count <= Self.places, document.hid.count <= Self.places else { throw Unreadable("it is too long") }
        commands = document.ble.map { Array($0.utf8) }
        keys = try document.hid.map { line throws(Unreadable) in
            guard let key = Self.key(of: line) else { throw Unreadable("a key is not understood") }
            return key
        }
    }

    public struct Unreadable: Error, Sendable, Hashable {
        public let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// `'H' K:0x0B M:0x02`, `BS K:0x2A`. The character may be anything, even a quotation mark or "K:", so the last words count.
    private static func key(of line: String) -> Key? {
        guard let match = line.wholeMatch(of: /(?s).* K:0x([0-9A-F]{2})(?: M:0x([0-9A-F]{2}))?/), let usage = UInt8(match.1, radix: 16)
        else { return nil }
        return Key(usage: usage, modifiers: match.2.flatMap { UInt8($0, radix: 16) })
    }

    /// The next trace if the unit does everything.
    func after(_ commands: [KeyCommand], layout: KeyboardLayout) -> KeyboardTrace {
        KeyboardTrace(
            commands: (self.commands + commands.map(Self.shown)).suffix(Self.places),
            keys: (keys + commands.flatMap { Self.keys(of: $0, layout) }).suffix(Self.places))
    }

    /// As returned, with replacement characters for cut ones.
    private static func shown(_ command: KeyCommand) -> [UInt8] {
        switch command {
        case .backspaces(let count): Array("BS x\(count)".utf8)
        case .enter: Array("ENTER".utf8)
        case .control(let letter): Array("CTRL+".utf8) + [letter]
        case .insert:
            Array(String(decoding: Array("TXT: ".utf8) + command.bytes.dropFirst().prefix(shownText), as: UTF8.self).utf8)
                + (command.bytes.count - 1 > shownText ? cut : [])
        }
    }

    private static func keys(of command: KeyCommand, _ layout: KeyboardLayout) -> [Key] {
        switch command {
        case .backspaces(let count): Array(repeating: Key(usage: KeyStroke.backspace.usage), count: count)
        case .enter: [Key(usage: KeyStroke.enter.usage)]
        case .control(let letter): [Key(usage: 0x04 + ((letter | 0x20) &- UInt8(ascii: "a")), modifiers: 0x02)]
        case .insert(let scalars):
            scalars.compactMap { layout.stroke(for: $0) }.map { Key(usage: $0.usage, modifiers: $0.modifier.rawValue) }
        }
    }

    /// Whether the unit did everything sent between this trace and the next.
    /// - Throws: ``KeyboardError``, whose words hold none of the text.
    public func prove(_ commands: [KeyCommand], layout: KeyboardLayout, next: KeyboardTrace) throws(KeyboardError) {
        let expected = after(commands, layout: layout)
        guard expected != self else { throw .proofSaysNothing }
        guard next.commands == expected.commands else {
            throw .notProved(reason: next.commands == self.commands ? "it noted no command" : "it noted other commands")
        }
        guard next.keys == expected.keys else {
            throw .notProved(reason: next.keys == keys ? "it noted no key" : "it noted other keys")
        }
    }
}
