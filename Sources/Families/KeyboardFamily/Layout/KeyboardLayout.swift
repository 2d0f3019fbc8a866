/// A key's meaning: a HID usage and its modifiers.
public struct KeyStroke: Sendable, Hashable {
    public enum Modifier: UInt8, Sendable {
        case none = 0x00
        case control = 0x01
        case shift = 0x02
        case altGr = 0x40
    }

    static let space = KeyStroke(0x2C)
    static let backspace = KeyStroke(0x2A)
    static let enter = KeyStroke(0x28)

    public let usage: UInt8
    public let modifier: Modifier

    init(_ usage: UInt8, _ modifier: Modifier = .none) { (self.usage, self.modifier) = (usage, modifier) }
}

/// The unit's layouts. Bluetooth can neither read nor set the current one: each start sets Swiss German, and only the unit's web page
/// changes it. The host must use the same layout.
public enum KeyboardLayout: String, Sendable, CaseIterable {
    case unitedStates = "us"
    case swissGerman = "ch-de"
    case german = "de"
    case french = "fr"
    case british = "uk"
    case spanish = "es"
    case italian = "it"

    public static let ofStart = KeyboardLayout.swissGerman

    private static let strokes = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.rows.strokes) })

    /// - Returns: `nil` for characters that the unit skips silently.
    public func stroke(for character: Unicode.Scalar) -> KeyStroke? { Self.strokes[self]?[character] }

    public var characters: [Unicode.Scalar] { Self.strokes[self].map { $0.keys.sorted { $0.value < $1.value } } ?? [] }

    /// On a host with the same layout it appears only with the next key, perhaps combined. A space makes it appear alone; Linux then
    /// turns ´ and ¨ into ' and " (libX11's Compose table).
    public func isDead(_ character: Unicode.Scalar) -> Bool { dead.unicodeScalars.contains(character) }

    /// Measured with libxkbcommon 1.5 and xkb-data 2.35.
    private var dead: String {
        switch self {
        case .swissGerman: "^`~è"
        case .german: "`´"
        case .french: "^"
        case .spanish: "^`¨´"
        case .unitedStates, .british, .italian: ""
        }
    }

    /// The character that appears instead on a host with the same layout, if any. The firmware's tables are wrong there.
    public func mistake(for character: Unicode.Scalar) -> Unicode.Scalar? { mistakes[character] }

    private var mistakes: [Unicode.Scalar: Unicode.Scalar] {
        switch self {
        case .swissGerman: ["!": "°", "Ä": "à", "Ö": "é", "Ü": "è", "¦": "|", "è": "\""]
        // Linux; a Windows host may show the right one.
        case .british: ["\\": "#", "|": "~", "á": "æ", "é": "e", "í": "→", "ó": "ø", "ú": "↓"]
        case .spanish: ["€": "½", "´": "'", "¨": "\""]
        case .german: ["´": "'"]
        case .unitedStates, .french, .italian: [:]
        }
    }
}
