import Foundation

/// A character by what a font of printable ASCII (0x20–0x7E) shows.
///
/// By our tables first (``FoldTable``), then without its marks (NFD), then by its compatible form (NFKD), then, where a script
/// spells sounds, by ICU's transliteration to Latin. Han characters have none: their reading depends on the language.
enum ASCIIFold {
    enum Shown: Equatable {
        /// Nothing is lost, also where nothing is left: controls, joiners, direction marks.
        case asIs(String)
        case similar(String)
        case unknown
    }

    /// The end of a mark that came alone, as its letter's second half.
    private static let diaeresis: Unicode.Scalar = "\u{308}"

    /// - Parameter previous: the character before; a mark whose letter went out in an earlier piece is folded as with it.
    static func show(_ character: Character, after previous: Character?) -> Shown {
        if let known = plain(character) { return .asIs(known) }
        let scalars = Array(String(character).precomposedStringWithCanonicalMapping.unicodeScalars)
        if scalars.allSatisfy(isInvisible) { return .asIs("") }
        if scalars.allSatisfy({ isMark($0) || isInvisible($0) }) {
            guard scalars.contains(diaeresis), let previous, "aouAOU".contains(previous) else { return .similar("") }
            return .similar("e")
        }
        var shown = ""
        for scalar in scalars where !isMark(scalar) && !isInvisible(scalar) {
            guard let text = show(scalar) else { return transliterate(character).map { .similar($0) } ?? .unknown }
            shown += text
        }
        return scalars.contains(where: isMark) || scalars.contains { !$0.isASCII } ? .similar(shown) : .asIs(shown)
    }

    /// White space, controls and printable ASCII.
    private static func plain(_ character: Character) -> String? {
        if character == "\n" || character == "\r\n" || character == "\u{2028}" || character == "\u{2029}" { return "\n" }
        guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1 else { return nil }
        if scalar == "\t" || scalar.properties.generalCategory == .spaceSeparator { return " " }
        if scalar.properties.generalCategory == .control { return "" }
        return scalar.isASCII ? String(character) : nil
    }

    private static func show(_ scalar: Unicode.Scalar) -> String? {
        if scalar.isASCII { return (0x20...0x7E).contains(scalar.value) ? String(scalar) : "" }
        if let known = FoldTable.shown(scalar) { return known }
        let text = String(scalar)
        for other in [text.decomposedStringWithCanonicalMapping, text.decomposedStringWithCompatibilityMapping] where other != text {
            let parts = other.unicodeScalars.filter { !isMark($0) && $0 != scalar }.map(show)
            if !parts.isEmpty, parts.allSatisfy({ $0 != nil }) { return parts.compactMap { $0 }.joined() }
        }
        return nil
    }

    /// A whole character at once: the vowels of many scripts are marks.
    private static func transliterate(_ character: Character) -> String? {
        guard !character.unicodeScalars.contains(where: { $0.properties.isIdeographic || $0.properties.isEmojiPresentation }) else { return nil }
        guard let latin = String(character).applyingTransform(.toLatin, reverse: false)?.decomposedStringWithCanonicalMapping
        else { return nil }
        let parts = latin.unicodeScalars.filter { !isMark($0) && $0 != "~" }.map(show)
        guard !parts.isEmpty, parts.allSatisfy({ $0 != nil }) else { return nil }
        return parts.compactMap { $0 }.joined()
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: !scalar.properties.isVariationSelector
        default: false
        }
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .format || scalar.properties.generalCategory == .control
            || scalar.properties.isVariationSelector
    }
}
