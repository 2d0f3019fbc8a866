/// Text that a display and a terminal can take.
enum PlainText {
    /// Without control characters but line feeds; tabs become spaces.
    static func clean(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\n" }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\t" { result.append(" ") }
            if scalar == "\n" || scalar.properties.generalCategory != .control { result.append(scalar) }
        }
        return String(result)
    }

    /// Without the white space that models put in front.
    static func withoutLeadingSpace(_ text: String) -> String { String(text.drop(while: \.isWhitespace)) }
}
