/// One thing to type.
public enum TypedItem: Sendable, Hashable {
    /// One character on the host; one Backspace removes it.
    case character(Unicode.Scalar, isDead: Bool)
    /// Left Ctrl and a letter, A…Z. Its effect on the host cannot be undone.
    case control(UInt8)
    /// Like ``control(_:)``; a line's end within a text is a character.
    case enter

    /// The scalars to send for a character.
    var scalars: [Unicode.Scalar] {
        switch self {
        case .character(let character, let isDead): isDead ? [character, " "] : [character]
        case .control, .enter: []
        }
    }

    public var keys: Int { max(1, scalars.count) }
    var isErasable: Bool { if case .character = self { true } else { false } }
}

/// One write is one command: the firmware neither joins nor splits writes.
public enum KeyCommand: Sendable, Hashable {
    case backspaces(Int)
    case insert([Unicode.Scalar])
    case enter
    case control(UInt8)

    public var bytes: [UInt8] {
        switch self {
        case .backspaces(let count): [0x01, UInt8(clamping: count)]
        case .insert(let scalars): [0x02] + scalars.flatMap { Array(UTF8.encode($0) ?? UTF8.EncodedScalar()) }
        case .enter: [0x03]
        case .control(let letter): [0x04, letter]
        }
    }

    public var keys: Int {
        switch self {
        case .backspaces(let count): count
        case .insert(let scalars): scalars.count
        case .enter, .control: 1
        }
    }
}
