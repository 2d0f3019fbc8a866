/// Text that came from a device or a file, made harmless: it can neither steer a terminal nor reorder a line.
enum UntrustedText {
    /// Longer text is cut: a device must not scroll the verdict off the screen.
    static let limit = 200
    /// The same of a notice, which ends with what to do next.
    static let noticeLimit = 1000
    /// The same of a command line to run next, which is the operator's own.
    static let commandLimit = 16 << 10

    static func escape(_ text: String) -> String { escape(text, limit: limit) }

    static func escape(_ text: String, limit: Int) -> String { cut(text, limit: limit).unicodeScalars.map(escaped).joined() }

    /// Not harmless yet.
    static func cut(_ text: String, limit: Int = limit) -> String {
        let scalars = text.unicodeScalars
        return scalars.count > limit ? String(String.UnicodeScalarView(scalars.prefix(limit))) + "..." : text
    }

    /// A long text from a server, such as an answer: its lines, each harmless.
    static func lines(_ text: String) -> [String] {
        text.prefix(textLimit).split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.unicodeScalars.map { joiners.contains($0) ? String($0) : escaped($0) }.joined()
        }
    }

    /// Persian and the scripts of India are not written without them, nor are families of emoji.
    private static let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}"]

    /// Characters of an answer.
    private static let textLimit = 32 << 10

    static func escaped(_ scalar: Unicode.Scalar) -> String {
        isHarmless(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }

    /// Control (C0, C1), format (bidi overrides, zero-width), line and paragraph separators, private and unassigned
    /// code points are not.
    static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
