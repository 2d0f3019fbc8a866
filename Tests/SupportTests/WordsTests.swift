import Foundation
import Testing

@testable import Support

@Suite struct WordsTests {
    /// Foundation's own words are a domain and a number.
    @Test func errorsAreToldInTheSystemsWords() {
        let missing = #expect(throws: (any Error).self) { try FileManager.default.contentsOfDirectory(atPath: "/nowhere") }
        let noFolder = #expect(throws: (any Error).self) {
            try FileManager.default.createDirectory(atPath: "/dev/null/a", withIntermediateDirectories: true)
        }
        let exists = #expect(throws: (any Error).self) {
            try FileManager.default.createDirectory(atPath: "/tmp", withIntermediateDirectories: false)
        }
        let noJSON = #expect(throws: (any Error).self) { try JSONDecoder().decode([Int].self, from: Data("{".utf8)) }
        for (error, words) in [
            (missing, "No such file or directory"), (noFolder, "Not a directory"), (exists, "File exists"),
            (noJSON, "it does not hold what it should"),
            (POSIXError(.ENOSPC), "No space left on device"), (CocoaError(.fileWriteOutOfSpace), "No space left on device"),
            (CocoaError(.fileReadNoPermission), "Permission denied"), (FileWriter.Failure("why"), "why"),
            (FileReader.Failure(.link, "it is a link"), "it is a link"),
            (NSError(domain: NSPOSIXErrorDomain, code: 5), "Input/output error"),
        ] as [((any Error)?, String)] {
            #expect(error.map(SystemError.text) == words)
        }
        let other = SystemError.text(CocoaError(.featureUnsupported))
        #expect(!other.contains("Cocoa") && other.contains("\(CocoaError.featureUnsupported.rawValue)"))
        #expect(SystemError.text(NSError(domain: "NSURLErrorDomain", code: -7)) == "the system refuses it (error -7)")
        #expect(!diagnose(CocoaError(.fileReadNoSuchFile)).message.contains("Domain"))
    }

    @Test(arguments: [
        ("main.lua", "main.lua"), ("main.lua ", "\"main.lua \""), (" a", "\" a\""), ("a b", "a b"), ("\u{E9}.lua", "\u{E9}.lua"),
        ("e\u{301}.lua", "e\\u{301}.lua"), ("a\u{202E}b", "a\\u{202e}b"), ("a\nb", "a\\u{a}b"), ("a\\u{a}b", "a\\\\u{a}b"),
        ("\"x \"", "\"\\\"x \\\"\""), ("", "\"\"")
    ])
    func namesThatDifferAreShownSo(name: String, shown: String) { #expect(PrintableText.name(name.utf8) == shown) }

    @Test func aNameThatIsNoTextIsShownByItsBytes() {
        #expect(PrintableText.name([0x61, 0xFF, 0xFE]) == "a\\xff\\xfe" && PrintableText.name([0x61, 0xFF, 0xFD]) == "a\\xff\\xfd")
    }
}
