import REPL

/// Phrases of an image, each under a code of one byte. A unit's Python undoes the coding by one comprehension and one `join`.
///
/// No code is a byte on which the unit would act (``InputPiece/forbidden``). A byte without a phrase is an
/// exception: the piece names its place among the codes, and its value.
struct PhraseBook: Sendable {
    static let longestPhrase = 64
    /// Bytes that an exception takes besides its code: distance and number of its value.
    static let exceptionByteCount = 2
    private static let codes = (0...UInt8.max).filter { !InputPiece.forbidden.contains($0) }

    /// By code; empty where the code is forbidden or not used.
    private let phrases: [[UInt8]]
    /// The values of exceptions, by their numbers.
    private let rareValues: [UInt8]
    private let trie: PhraseTrie
    private let rareNumbers: [UInt8: UInt8]
    /// Any code.
    private let placeholder: UInt8

    init(for image: [UInt8]) {
        var found = PhraseSearch.phrases(for: image, count: Self.codes.count)
        let present = Set(image)
        func rare() -> [UInt8] { present.subtracting(found.lazy.filter { $0.count == 1 }.map { $0[0] }).sorted() }
        var rareValues = rare()
        // The least useful phrases, which stand last, make way for bytes that would have no number.
        var index = found.count - 1
        while rareValues.count > InputPiece.digitCount, index >= 0 {
            if found[index].count > 1 { found[index] = [rareValues[0]] }
            rareValues = rare()
            index -= 1
        }
        var phrases = [[UInt8]](repeating: [], count: 256)
        for (code, phrase) in zip(Self.codes, found) { phrases[Int(code)] = phrase }
        trie = PhraseTrie(zip(Self.codes, found).map { ($1, Int($0)) })
        rareNumbers = Dictionary(uniqueKeysWithValues: rareValues.enumerated().map { ($1, InputPiece.digitBase + UInt8($0)) })
        placeholder = Self.codes[0]
        (self.phrases, self.rareValues) = (phrases, rareValues)
    }

    /// Each code's phrase and then each rare value, with its length before it, as the helper reads them.
    var listing: [[UInt8]] { (phrases + rareValues.map { [$0] }).map { [UInt8($0.count)] + $0 } }

    /// One code and what it stands for; an exception has its value's number.
    struct Symbol {
        let code: UInt8
        let byteCount: Int
        let rareNumber: UInt8?
    }

    func symbols(of content: ArraySlice<UInt8>) -> [Symbol] {
        var position = content.startIndex
        return trie.parse(Array(content)).map { choice in
            let symbol = choice < 0
                ? Symbol(code: placeholder, byteCount: 1, rareNumber: rareNumbers[content[position]] ?? InputPiece.digitBase)
                : Symbol(code: UInt8(choice), byteCount: phrases[choice].count, rareNumber: nil)
            position += symbol.byteCount
            return symbol
        }
    }
}
