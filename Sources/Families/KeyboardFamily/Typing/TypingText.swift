import Foundation

/// A text as a layout types it, with its cost, for review before anything is sent.
public struct TypingText: Sendable, Hashable {
    /// In bytes; an hour and a quarter of typing in ASCII.
    public static let limit = 64 << 10

    public private(set) var items: [TypedItem] = []
    /// Characters typed as others, with their counts.
    public private(set) var replaced: [Unicode.Scalar: Int] = [:]
    /// Characters that the layout lacks, with their counts; not in ``items``.
    public private(set) var missing: [Unicode.Scalar: Int] = [:]
    /// Characters that a host with the same layout shows wrongly, with their counts.
    public private(set) var mistaken: [Unicode.Scalar: Int] = [:]

    /// Characters that the layout makes dead, with their counts; a space follows each, so that it appears alone.
    public private(set) var dead: [Unicode.Scalar: Int] = [:]

    /// - Parameter magic: words that are keys.
    public init(_ text: String, layout: KeyboardLayout, magic: [MagicWord] = []) {
        // Layouts type whole characters: a separate accent joins its letter.
        var rest = Substring(text.precomposedStringWithCanonicalMapping)
        while !rest.isEmpty {
            let next = MagicWord.first(of: magic, in: rest)
            add(rest[..<(next?.range.lowerBound ?? rest.endIndex)], layout)
            if let next { items.append(next.word.item) }
            rest = rest[(next?.range.upperBound ?? rest.endIndex)...]
        }
    }

    public var characters: Int { items.count { $0.isErasable } }
    public var keys: Int { items.reduce(0) { $0 + $1.keys } }

    private mutating func add(_ text: Substring, _ layout: KeyboardLayout) {
        var last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { last = scalar }
            // The end of a line is one key in every notation.
            if scalar == "\n", last == "\r" { continue }
            if layout.stroke(for: scalar) != nil {
                add(scalar, layout)
            } else if let other = Self.substitutes[scalar]?.unicodeScalars, other.allSatisfy({ layout.stroke(for: $0) != nil }) {
                if scalar != "\r" { replaced[scalar, default: 0] += 1 }
                for scalar in other { add(scalar, layout) }
            } else {
                missing[scalar, default: 0] += 1
            }
        }
    }

    private mutating func add(_ scalar: Unicode.Scalar, _ layout: KeyboardLayout) {
        if layout.mistake(for: scalar) != nil { mistaken[scalar, default: 0] += 1 }
        if layout.isDead(scalar) { dead[scalar, default: 0] += 1 }
        items.append(.character(scalar, isDead: layout.isDead(scalar)))
    }

    /// Characters that word processors and telephones insert, and keyboards lack.
    private static let substitutes: [Unicode.Scalar: String] = [
        "\r": "\n", "\u{2028}": "\n", "\u{2029}": "\n", "\u{A0}": " ", "\u{2007}": " ", "\u{2009}": " ", "\u{202F}": " ",
        "\u{2018}": "'", "\u{2019}": "'", "\u{201A}": "'", "\u{201B}": "'", "\u{2032}": "'",
        "\u{201C}": "\"", "\u{201D}": "\"", "\u{201E}": "\"", "\u{201F}": "\"", "\u{AB}": "\"", "\u{BB}": "\"", "\u{2033}": "\"",
        "\u{2026}": "...", "\u{2010}": "-", "\u{2011}": "-", "\u{2012}": "-", "\u{2013}": "-", "\u{2014}": "-", "\u{2212}": "-",
        // Marks without a shape.
        "\u{AD}": "", "\u{200B}": "", "\u{FEFF}": "",
    ]
}

/// A word that stands for a key, as once in the phone app: whole words, in any case.
public struct MagicWord: Sendable, Hashable {
    public let word: String
    public let item: TypedItem

    /// - Returns: `nil` for a word without a letter.
    public init?(_ word: String, _ item: TypedItem) {
        guard word.contains(where: \.isLetter) else { return nil }
        (self.word, self.item) = (word.precomposedStringWithCanonicalMapping, item)
    }

    static func first(of words: [MagicWord], in text: Substring) -> (word: MagicWord, range: Range<Substring.Index>)? {
        words.compactMap { word in word.firstRange(in: text).map { (word, $0) } }.min { $0.1.lowerBound < $1.1.lowerBound }
    }

    private func firstRange(in text: Substring) -> Range<Substring.Index>? {
        var rest = text
        while let range = rest.range(of: word, options: .caseInsensitive) {
            let before = range.lowerBound > text.startIndex ? text[text.index(before: range.lowerBound)] : " "
            let after = range.upperBound < text.endIndex ? text[range.upperBound] : " "
            if !Self.isPartOfWord(before), !Self.isPartOfWord(after) { return range }
            rest = rest[range.upperBound...]
        }
        return nil
    }

    private static func isPartOfWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
