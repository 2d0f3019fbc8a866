import Assistant
import Foundation

/// Text for a Frame's display, in pieces cut between characters. The unit wraps it and keeps the newest rows.
struct FrameText {
    private(set) var folding = TextFolding()
    private var previous: Character?

    mutating func take(_ piece: String) -> String {
        var result = ""
        for character in piece {
            result += folding.count(FrameFont.show(character, after: previous))
            previous = character
        }
        return result
    }
}

/// A Frame's font: 183 letters and signs, without `/` and much of Latin-1 below its letters (frame-codebase,
/// `lua_libraries/graphical_assets`).
enum FrameFont {
    /// Replaces the slash.
    private static let slash = "\\"

    private static let others = Set("¡¢£¥©«®°±µ·»¿ıŁłŒœŠšŸŽžƒ€".unicodeScalars)

    static func has(_ scalar: Unicode.Scalar) -> Bool {
        (0x20...0x7E).contains(scalar.value) && scalar != "/" || (0xC0...0xFF).contains(scalar.value) || others.contains(scalar)
    }

    static func show(_ character: Character, after previous: Character?) -> ASCIIFold.Shown {
        let scalars = Array(String(character).precomposedStringWithCanonicalMapping.unicodeScalars)
        if scalars.count == 1, has(scalars[0]) { return .asIs(String(scalars[0])) }
        return switch ASCIIFold.show(character, after: previous) {
        case .asIs("/"): .similar(slash)
        case .similar(let text): .similar(text.replacing("/", with: slash))
        case let other: other
        }
    }
}
