/// What is shown for letters and signs whose decomposition does not end in ASCII, or not as a reader would write it.
enum FoldTable {
    static func shown(_ scalar: Unicode.Scalar) -> String? {
        if let known = all[scalar] { return known }
        let lowercase = scalar.properties.lowercaseMapping.unicodeScalars
        guard let small = lowercase.first, lowercase.count == 1, small != scalar, let known = all[small] else { return nil }
        return known.prefix(1).uppercased() + known.dropFirst()
    }

    private static let all: [Unicode.Scalar: String] = {
        var table: [Unicode.Scalar: String] = [:]
        for (letters, shown) in others { for letter in letters.unicodeScalars { table[letter] = shown } }
        for pairs in [latin, cyrillic, greek, signs] {
            let words = pairs.split(whereSeparator: \.isWhitespace)
            for index in stride(from: 0, to: words.count - 1, by: 2) {
                for letter in words[index].unicodeScalars { table[letter] = String(words[index + 1]) }
            }
        }
        return table
    }()

    /// Where a pair of words cannot say it. A fraction keeps away from the digit before it: 2½ is not 21/2.
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
