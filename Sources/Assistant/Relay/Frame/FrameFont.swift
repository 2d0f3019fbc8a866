import Foundation

/// What a Frame's font shows: 183 letters and signs, without `/` and much of Latin-1 below its letters (frame-codebase,
/// `lua_libraries/graphical_assets`).
enum FrameFont {
    /// Stands for the slash.
    private static let slash = "\\"

    private static let others = Set("¡¢£¥©«®°±µ·»¿ıŁłŒœŠšŸŽžƒ€".unicodeScalars)

    static func has(_ scalar: Unicode.Scalar) -> Bool {
        (0x20...0x7E).contains(scalar.value) && scalar != "/" || (0xC0...0xFF).contains(scalar.value) || others.contains(scalar)
    }

    static func show(_ character: Character, after previous: Character?) -> ASCIIFold.Shown {
        let scalars = Array(String(character).precomposedStringWithCanonicalMapping.unicodeScalars)
        if scalars.count == 1, has(scalars[0]) { return .asIs(String(Character(scalars[0]))) }
        switch ASCIIFold.show(character, after: previous) {
        case .asIs("/"): return .similar(slash)
        case .asIs(let text): return .asIs(text)
        case .similar(let text): return .similar(text.replacing("/", with: slash))
        case .unknown: return .unknown
        }
    }
}

/// Text on its way to a Frame's display, in pieces cut between characters. The unit wraps it, and keeps the newest rows.
struct FrameText {
    private(set) var folding = TextFolding()
    private var previous: Character?

    mutating func take(_ piece: String) -> String {
        var result = ""
        for character in piece {
            switch FrameFont.show(character, after: previous) {
            case .asIs(let text): result += text
            case .similar(let text):
                result += text
                folding.similar += 1
            case .unknown:
                result += "?"
                folding.unknown += 1
            }
            previous = character
        }
        return result
    }
}
