import Testing

@testable import noafw

/// Holds the matcher against Swift's own, whose time has no bound.
@Suite struct TextPatternTests {
    private static let patterns = [
        "", "a", "^a", "a$", "^$", "^a$", "abc", "a.c", "a|b", "^(a|b)c$", "(?:ab)+c", "a*b", "^a*$", "a+?b", "a?b", "x{2}", "^x{2,}$",
        "^x{1,2}$", "(ab|a)(c|bcd)d*", "[abc]x", "[^abc]", "[a-c-]", "[\\d.]+ s", "\\d{2,3}", "\\bab\\b", "\\Bb", "\\w+\\s\\W",
        "a\\.b", "\\(a\\)", "(a|)b", "((a*)*)*c", "I heard: .*hello", "(?i)HeLLo", "(?i)[A-C]x", "é", "\\S+\\D$", "(a|ab)(bc|c)?$",
    ]
    private static let texts = [
        "", "a", "b", "ab", "abc", "abcd", "aab", "xx", "xxx", "x", "a.b", "a.c", "(a)", "ax", "Bx", "hello", "HELLO you",
        "I heard: well hello", "12", "1.5 s", "é", "e\u{301}", "ab ab", "cab", "a b!", "]", "-", "aaaaac", "over 123",
    ]

    @Test(arguments: patterns) func findsWhatSwiftFinds(pattern: String) throws {
        let own = try TextPattern(pattern)
        let regex = try Regex(pattern).wordBoundaryKind(.simple)
        for text in Self.texts {
            #expect(try own.isFound(in: text) == (regex.firstMatch(in: text) != nil), "/\(pattern)/ in '\(text)'")
        }
    }

    @Test(arguments: [
        "(", ")", "a**", "*", "[a", "[b-a]", "a{2", "a{3,2}", "a{1000}", "\\", "\\1", "\\p{L}", "(?=a)", "(?<n>a)", "^*", "a{,2}"
    ])
    func saysWhatItDoesNotKnow(pattern: String) {
        let fault = #expect(throws: TextPattern.Fault.self) { try TextPattern(pattern) }
        #expect(fault?.reason.isEmpty == false)
    }

    /// A matcher that tries one way after the other would need longer than the universe is old.
    @Test(arguments: ["^(a+)+$", "(a|a)*b$", "(a*)*b", "^(a|aa)+$b", "(.*)(.*)(.*)(.*)(.*)z"])
    func hostileExpressionsAreFoundInLinearTime(pattern: String) throws {
        #expect(try !TextPattern(pattern).isFound(in: String(repeating: "a", count: 5000) + "!"))
    }

    @Test(arguments: [
        "((((a{99}){99}){99}){99}){99}", "((((){999}){999}){999}){999}", "((((a){0}){999}){999}){999}",
        String(repeating: "(", count: 2000), String(repeating: "a", count: 1_000_000),
    ])
    func hostileExpressionsAreRefused(pattern: String) {
        #expect(throws: TextPattern.Fault.self) { try TextPattern(pattern) }
    }
}
