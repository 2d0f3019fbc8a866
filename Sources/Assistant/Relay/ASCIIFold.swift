import Foundation

/// How a font of printable ASCII (0x20–0x7E) shows a character.
///
/// Tries our tables (``FoldTable``), then the character without its marks (NFD), its compatible form (NFKD), and ICU's transliteration to
/// Latin. Han characters have none: their reading depends on the language.
package enum ASCIIFold {
    package enum Shown: Equatable {
        /// Nothing is lost, even if nothing remains: controls, joiners, direction marks.
        case asIs(String)
        case similar(String)
        case unknown
    }

    /// - Parameter previous: the character before, for a mark whose letter went out in an earlier piece.
    package static func show(_ character: Character, after previous: Character?) -> Shown {
        if let known = plain(character) { return .asIs(known) }
        let scalars = Array(String(character).precomposedStringWithCanonicalMapping.unicodeScalars)
        if scalars.allSatisfy(isInvisible) { return .asIs("") }
        if scalars.allSatisfy({ isMark($0) || isInvisible($0) }) {
            // A diaeresis whose letter went out earlier.
            guard scalars.contains("\u{308}"), let previous, "aouAOU".contains(previous) else { return .similar("") }
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
        if ["\n", "\r\n", "\u{2028}", "\u{2029}"].contains(character) { return "\n" }
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
            if let known = joined(parts) { return known }
        }
        return nil
    }

    /// A whole character at once: many scripts write vowels as marks.
    private static func transliterate(_ character: Character) -> String? {
        guard !character.unicodeScalars.contains(where: { $0.properties.isIdeographic || $0.properties.isEmojiPresentation })
        else { return nil }
        guard let latin = String(character).applyingTransform(.toLatin, reverse: false)?.decomposedStringWithCanonicalMapping
        else { return nil }
        return joined(latin.unicodeScalars.filter { !isMark($0) && $0 != "~" }.map(show))
    }

    /// - Returns: `nil` when a part is unknown or nothing is left.
    private static func joined(_ parts: [String?]) -> String? {
        parts.isEmpty || parts.contains(nil) ? nil : parts.compactMap(\.self).joined()
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

/// Letters and signs whose decomposition does not end in ASCII, or not in a reader's spelling.
enum FoldTable {
    static func shown(_ scalar: Unicode.Scalar) -> String? {
        if let known = all[scalar] { return known }
        let lowercase = scalar.properties.lowercaseMapping.unicodeScalars
        guard let small = lowercase.first, lowercase.count == 1, small != scalar, let known = all[small] else { return nil }
        return known.prefix(1).uppercased() + known.dropFirst()
    }

    private static let all: [Unicode.Scalar: String] = {
        let words = [latin, cyrillic, greek, signs].flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
        let pairs = stride(from: 0, to: words.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }
        let entries = (others + pairs).flatMap { letters, shown in letters.unicodeScalars.map { ($0, shown) } }
        return Dictionary(entries) { $1 }
    }()

    /// More than a pair of words. A space keeps a fraction from the digit before it: 2½ is not 21/2.
    private static let others = [
        ("ъь", ""), ("“”„‟«»", "\""), ("½", " 1/2"), ("¼", " 1/4"), ("¾", " 3/4"), ("⅓", " 1/3"), ("⅔", " 2/3"),
    ]

    /// German umlauts as Germans write them; the other letters that Unicode does not decompose.
    private static let latin = """
        ä ae ö oe ü ue ß ss ẞ SS æ ae œ oe ø o ł l đ d ð d þ th ħ h ı i ĸ k ŋ ng ŧ t ſ s ə e ɛ e ɔ o ƒ f ȷ j ʻʼʽˈʾʿ ' ʹ '
        """

    /// Russian, Ukrainian, Belarusian, Serbian, Macedonian, Kazakh. Bulgarian щ and ъ as in Russian.
    private static let cyrillic = """
        а a б b в v г g д d е e ё yo ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch
        ы y э e ю yu я ya і i ї yi є ye ґ g ў u ј j љ lj њ nj ћ c ђ dj џ dz ѓ gj ќ kj ѕ dz қ k ғ g ң ng ү u ұ u һ h ө o ә a
        """

    /// υ as u: so ου, αυ and ευ, its most frequent places, read well.
    private static let greek = """
        α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σς s τ t υ u φ f χ ch ψ ps ω o
        """

    private static let signs = """
        ‘’‚‛‹› ' ″「」『』《》〈〉 " ‐‑‒–—―−ー－ - … ... ・·•∙●◦▪ * ′ ' ⁄∕ / × x ÷ / ± +/- ≠ != ≤ <= ≥ >= ≈∼〜～ ~ ≡ ==
        → -> ← <- ↔ <-> ⇒ => ⇐ <= ⇔ <=> √ sqrt ∞ inf ∑ sum µ u ° deg № No. ™ (TM) © (c) ® (R) § S. ¶ P. ¦ | ¬ not
        € EUR £ GBP ¥ JPY ₽ RUB ₴ UAH ₹ INR ₩ KRW ₺ TRY ₿ BTC ¢ c ¡ ! ¿ ? 、، , 。۔ . ؛ ; ؟ ? ״ " ׳ ' ־ - ★☆ *
        """
}
