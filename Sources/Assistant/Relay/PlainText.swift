/// Text for a display, a terminal and packets. Cuts fall between a reader's characters, never inside a UTF-8 scalar.
package enum PlainText {
    /// Removes control characters except line feeds; tabs become spaces.
    static func clean(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\t" { result.append(" ") }
            if scalar == "\n" || scalar.properties.generalCategory != .control { result.append(scalar) }
        }
        return String(result)
    }

    /// Removes the white space with which models begin.
    static func withoutLeadingSpace(_ text: String) -> String { String(text.drop(while: \.isWhitespace)) }

    /// The longest beginning of at most `limit` bytes. A character longer than the limit is cut between its scalars.
    package static func prefix(of text: Substring, atMostBytes limit: Int) -> Substring {
        let whole = wholeCharacters(of: text, atMostBytes: limit)
        guard whole.isEmpty else { return whole }
        return text[..<end(of: text.unicodeScalars, atMostBytes: limit) { $0.utf8.count }]
    }

    /// The longest beginning of at most `limit` bytes that ends with a character; may be empty.
    package static func wholeCharacters(of text: Substring, atMostBytes limit: Int) -> Substring {
        text[..<end(of: text, atMostBytes: limit) { $0.utf8.count }]
    }

    private static func end<Text: Collection>(
        of text: Text, atMostBytes limit: Int, size: (Text.Element) -> Int
    ) -> Text.Index {
        var room = limit
        return text.indices.first { index in
            room -= size(text[index])
            return room < 0
        } ?? text.endIndex
    }

    /// Splits a text. A limit under 4 bytes cannot hold every scalar: what does not fit is left out.
    package static func pieces(of text: String, atMostBytes limit: Int) -> [String] {
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
