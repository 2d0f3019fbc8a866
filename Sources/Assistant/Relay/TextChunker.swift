/// Cuts text for packets: between characters as a reader sees them, and never inside a UTF-8 scalar.
enum TextChunker {
    /// The longest beginning of at most `limit` bytes. A character that does not fit a whole limit is cut between its scalars.
    static func prefix(of text: Substring, atMostBytes limit: Int) -> Substring {
        let whole = wholeCharacters(of: text, atMostBytes: limit)
        return whole.isEmpty ? scalarPrefix(of: text, atMostBytes: limit) : whole
    }

    /// The longest beginning of at most `limit` bytes that ends with a character, or the first character where that is longer.
    static func characters(of text: Substring, atMostBytes limit: Int) -> Substring {
        let whole = wholeCharacters(of: text, atMostBytes: limit)
        return whole.isEmpty ? text.prefix(1) : whole
    }

    /// The longest beginning of at most `limit` bytes that ends with a character; may be empty.
    static func wholeCharacters(of text: Substring, atMostBytes limit: Int) -> Substring {
        guard text.utf8.count > limit else { return text }
        var count = 0
        var end = text.startIndex
        for index in text.indices {
            let size = text[index].utf8.count
            if count + size > limit { break }
            count += size
            end = text.index(after: index)
        }
        return text[..<end]
    }

    private static func scalarPrefix(of text: Substring, atMostBytes limit: Int) -> Substring {
        var count = 0
        var end = text.startIndex
        for scalar in text.unicodeScalars {
            count += scalar.utf8.count
            if count > limit { break }
            end = text.unicodeScalars.index(after: end)
        }
        return text[..<end]
    }

    /// All of a text in pieces. A limit under 4 bytes cannot hold every scalar: what does not fit is left out.
    static func pieces(of text: String, atMostBytes limit: Int) -> [String] {
        var rest = text[...]
        var pieces: [String] = []
        while !rest.isEmpty {
            let piece = prefix(of: rest, atMostBytes: limit)
            if piece.isEmpty {
                rest = Substring(rest.unicodeScalars.dropFirst())
            } else {
                pieces.append(String(piece))
                rest = rest[piece.endIndex...]
            }
        }
        return pieces
    }
}
