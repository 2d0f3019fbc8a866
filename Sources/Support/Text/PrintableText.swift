import FoundationEssentials

/// Foreign text for a terminal.
public enum PrintableText {
    /// Replaces what is not printable or not UTF-8 by U+FFFD.
    /// - Parameter keepingLines: keeps line ends as single `\n`; otherwise they become spaces.
    public static func of(_ bytes: some Collection<UInt8>, keepingLines: Bool = false) -> String {
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n": text.append(keepingLines ? "\n" : " ")
            case "\r": continue
            default: text.append(isPrintable(scalar) ? scalar : "\u{FFFD}")
            }
        }
        var result = String(text)
        while let last = result.last, last == " " || last == "\n" { result.removeLast() }
        return result
    }

    /// A file's name, such that different names always look different: quoted if it begins or ends with a blank; bytes that are
    /// not printable, not UTF-8 or not composed are escaped.
    public static func name(_ bytes: some Collection<UInt8>) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return quoted(bytes.map { $0 < 0x80 ? escaped(Unicode.Scalar($0)) : "\\x" + String($0, radix: 16) }.joined())
        }
        let isComposed = text.composed.unicodeScalars.elementsEqual(text.unicodeScalars)
        return quoted(text.unicodeScalars.map { $0.isASCII || !isComposed || !isPrintable($0) ? escaped($0) : String($0) }.joined())
    }

    private static func quoted(_ name: String) -> String {
        name.first == " " || name.last == " " || name.isEmpty || name.contains("\"") ? "\"\(name)\"" : name
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        if scalar == "\\" || scalar == "\"" { return "\\" + String(scalar) }
        return scalar.isASCII && isPrintable(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }

    /// The same number of characters; replaces unprintable ones by U+FFFD.
    public static func of(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars.map { isPrintable($0) ? $0 : "\u{FFFD}" }))
    }

    /// At most `limit` characters; drops everything but printable ASCII.
    public static func ascii(_ text: String, limit: Int = 200) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.lazy.filter { $0.value >= 0x20 && $0.value < 0x7F }.prefix(limit)))
    }

    /// Whether it can stand in a line without moving, hiding or reordering what is around it.
    public static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}

/// Bytes as pairs of hexadecimal digits, as a unit prints them.
public enum HexText {
    /// In lower case, without spaces.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// `nil` for anything but pairs of hexadecimal digits.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let values = digits.compactMap { $0 }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
