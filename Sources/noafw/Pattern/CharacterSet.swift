extension TextPattern {
    /// Characters that one place of an expression takes.
    struct CharacterSet: Sendable {
        enum Member: Sendable {
            case character(Character)
            case range(ClosedRange<Unicode.Scalar>)
            case digit(Bool)
            case word(Bool)
            case space(Bool)
            /// Every character but a line feed.
            case any
        }

        var members: [Member]
        var isNegated = false

        func contains(_ character: Character) -> Bool {
            members.contains { Self.fits($0, character) } != isNegated
        }

        private static func fits(_ member: Member, _ character: Character) -> Bool {
            switch member {
            case .character(let own): own == character
            case .range(let range): character.unicodeScalars.count == 1 && character.unicodeScalars.first.map(range.contains) == true
            case .digit(let isOne): ("0"..."9").contains(character) == isOne
            case .word(let isOne): isWord(character) == isOne
            case .space(let isOne): character.isWhitespace == isOne
            case .any: !character.isNewline
            }
        }

        static func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber || character == "_" }
    }
}
