/// A keyboard action, as far as a line editor cares.
enum Key: Hashable, Sendable {
    case text(String)
    /// Text in brackets (`CSI 200~` to `CSI 201~`): its line ends do not submit.
    case paste(String)
    case enter, newline, backspace, delete
    case left, right, up, down, home, end, wordLeft, wordRight
    case deleteWordLeft, deleteWordRight, killToEnd, killToStart, yank, transpose
    case older, newer
    case clearScreen, interrupt
    case tab, search, cancel
    /// Ctrl-X and Ctrl-].
    case leave
    /// Ctrl-\.
    case safeMode
    /// Ctrl-D: ends the input on an empty line, otherwise deletes.
    case endOfInput
    /// The terminal's answer to a primary device attributes query (DA1).
    case attributes([Int])
}

/// Turns a terminal's bytes into keys (ECMA-48, xterm's control sequences). Its memory is bounded for any input.
struct KeyDecoder {
    private enum State {
        case ground
        case escape
        case sequence([UInt8])
        case single
        case character([UInt8], length: Int)
        case paste
    }

    /// Longer than any meaningful sequence.
    private static let sequenceLimit = 64
    static let pasteLimit = 64 << 10
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private var state = State.ground
    private var pasted: [UInt8] = []

    mutating func decode(_ bytes: [UInt8]) -> [Key] { bytes.compactMap { next($0) } }

    /// An Escape came last: more follows, or it was the Escape key.
    var isInEscape: Bool { if case .escape = state { true } else { false } }

    /// Time has passed: an Escape without anything after it was the Escape key.
    mutating func settle() {
        if case .escape = state { state = .ground }
    }

    private mutating func next(_ byte: UInt8) -> Key? {
        switch state {
        case .ground: return ground(byte)
        case .escape: return escaped(byte)
        case .sequence(let start): return sequence(start, byte)
        case .single:
            state = .ground
            return Self.final(byte, [])
        case .character(let start, let length): return character(start + [byte], length)
        case .paste: return paste(byte)
        }
    }

    private mutating func ground(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x1B: state = .escape
        case 0x20...0x7E: return .text(String(Unicode.Scalar(byte)))
        case 0xC2...0xDF: state = .character([byte], length: 2)
        case 0xE0...0xEF: state = .character([byte], length: 3)
        case 0xF0...0xF4: state = .character([byte], length: 4)
        default: return Self.controls[byte]
        }
        return nil
    }

    private static let controls: [UInt8: Key] = [
        0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .endOfInput, 0x05: .end, 0x06: .right, 0x07: .cancel, 0x08: .backspace,
        0x09: .tab, 0x0A: .newline, 0x0B: .killToEnd, 0x0C: .clearScreen, 0x0D: .enter, 0x0E: .newer, 0x10: .older, 0x12: .search,
        0x14: .transpose, 0x15: .killToStart, 0x17: .deleteWordLeft, 0x18: .leave, 0x19: .yank, 0x1C: .safeMode, 0x1D: .leave,
        0x7F: .backspace,
    ]

    private mutating func character(_ bytes: [UInt8], _ length: Int) -> Key? {
        guard let last = bytes.last, 0x80...0xBF ~= last else {
            // Drops the broken character, but not the byte that broke it.
            state = .ground
            return bytes.last.flatMap { ground($0) }
        }
        guard bytes.count == length else {
            state = .character(bytes, length: length)
            return nil
        }
        state = .ground
        return String(validating: bytes, as: UTF8.self).map { Key.text($0) }
    }

    private mutating func escaped(_ byte: UInt8) -> Key? {
        state = .ground
        switch byte {
        case UInt8(ascii: "["): state = .sequence([])
        case UInt8(ascii: "O"): state = .single
        case 0x1B: state = .escape
        case 0x0D, 0x0A: return .newline
        case 0x08, 0x7F: return .deleteWordLeft
        case UInt8(ascii: "b"): return .wordLeft
        case UInt8(ascii: "f"): return .wordRight
        case UInt8(ascii: "d"): return .deleteWordRight
        default: break
        }
        return nil
    }

    private mutating func sequence(_ start: [UInt8], _ byte: UInt8) -> Key? {
        switch byte {
        case 0x20...0x3F where start.count < Self.sequenceLimit:
            state = .sequence(start + [byte])
            return nil
        case 0x40...0x7E:
            state = .ground
            let parameters = Self.numbers(start)
            if byte == UInt8(ascii: "~"), parameters.first == 200 {
                (state, pasted) = (.paste, [])
                return nil
            }
            if byte == UInt8(ascii: "c") { return start.first == UInt8(ascii: "?") ? .attributes(parameters) : nil }
            return Self.final(byte, parameters)
        case 0x1B: state = .escape
        default: state = .ground
        }
        return nil
    }

    private static func numbers(_ bytes: [UInt8]) -> [Int] {
        String(decoding: bytes, as: UTF8.self).drop { $0 == "?" }.split(separator: ";").compactMap { Int($0) }
    }

    /// - Parameter parameters: the second is for modifiers: 3 Alt, 5 Ctrl.
    private static func final(_ byte: UInt8, _ parameters: [Int]) -> Key? {
        let isByWord = parameters.count > 1 && [3, 5, 7].contains(parameters[1])
        switch (byte, parameters.first) {
        case (UInt8(ascii: "A"), _): return .up
        case (UInt8(ascii: "B"), _): return .down
        case (UInt8(ascii: "C"), _): return isByWord ? .wordRight : .right
        case (UInt8(ascii: "D"), _): return isByWord ? .wordLeft : .left
        case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), 1), (UInt8(ascii: "~"), 7): return .home
        case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), 4), (UInt8(ascii: "~"), 8): return .end
        case (UInt8(ascii: "~"), 3): return isByWord ? .deleteWordRight : .delete
        default: return nil
        }
    }

    private mutating func paste(_ byte: UInt8) -> Key? {
        pasted.append(byte)
        if byte == Self.pasteEnd.last, pasted.suffix(Self.pasteEnd.count) == Self.pasteEnd[...] {
            defer { (state, pasted) = (.ground, []) }
            return .paste(String(decoding: pasted.dropLast(Self.pasteEnd.count), as: UTF8.self))
        }
        // Text that is too long loses its end, but not the end mark.
        if pasted.count >= Self.pasteLimit + Self.pasteEnd.count { pasted.remove(at: Self.pasteLimit) }
        return nil
    }
}
