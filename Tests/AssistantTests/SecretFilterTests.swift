import Foundation
import Support
import Testing

@testable import Assistant
@testable import OpenAI

@Suite struct SecretFilterTests {
    /// However the text is cut, the key and long pieces of it are out of it, and nothing else is.
    @Test(arguments: 1...12) func theKeyIsTakenOut(size: Int) throws {
        let key = try SecretText("sk-abcab4")
        let text = "sk-abc sk-abcab4! ssk-abcabcab4sk-abcab4sk-abcab"
        var filter = SecretFilter(key)
        var shown = ""
        var rest = text[...]
        while !rest.isEmpty {
            shown += filter.pass(String(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        shown += filter.finish()
        #expect(shown == "sk-abc [key]! s[key]cab4[key]")
    }

    /// A server that repeats all of it but one character, or any part that would give it away.
    @Test(arguments: 1...12) func noPieceOfTheKeyIsShown(size: Int) throws {
        let text = "sk-proj-4mU9xQ2vT7bZ1kLw"
        let key = try SecretText(text)
        for piece in [text.dropLast(), text.dropFirst(), text.dropFirst(7).dropLast(5), text[...]] {
            let said = "It was \(piece)! Not \(piece.prefix(3)), nor \(piece)"
            #expect(key.redacted(from: said) == "It was [key]! Not \(piece.prefix(3)), nor [key]")
            var filter = SecretFilter(key)
            var (shown, rest) = ("", said[...])
            while !rest.isEmpty {
                shown += filter.pass(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(shown + filter.finish() == "It was [key]! Not \(piece.prefix(3)), nor [key]")
        }
    }

    /// A server that repeats it in another form than it was sent, at any place and in any pieces.
    @Test(arguments: 1...12) func theKeyIsNotShownInAnotherForm(size: Int) throws {
        let text = "sk-proj-4mU9/Q2vT7bZ+kLw?~>>"
        let key = try SecretText(text)
        let headers = ["", "B", "Be", "Bearer "].map { Data("\($0)\(text)!".utf8).base64EncodedString() }
        let urlSafe = headers.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
        let percent = [
            text.utf8.map { "%" + HexText.encode([$0]) }.joined(), text.utf8.map { "%" + HexText.encode([$0]).uppercased() }.joined(),
            "sk-proj-4mU9%2FQ2vT7bZ%2BkLw%3F~%3E%3E", "sk-proj-4mU9%2fQ2vT7bZ%2bkLw%3f~%3e%3e",
        ]
        for said in headers + urlSafe + percent + [HexText.encode(text.utf8), HexText.encode(text.utf8).uppercased()] {
            var filter = SecretFilter(key)
            var (shown, rest) = ("", "It was '\(said)', or so."[...])
            while !rest.isEmpty {
                shown += filter.pass(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            shown += filter.finish()
            let left = shown.dropFirst("It was '".count).dropLast("', or so.".count)
            #expect(shown.hasPrefix("It was '") && shown.hasSuffix("', or so.") && left.contains("[key]"), "\(said): \(shown)")
            // The digits of base64 that other bytes share, and those bytes.
            #expect(left.replacing("[key]", with: "").count <= 14, "\(said): \(shown)")
        }
        let harmless = "c2stcHI is short, c3ViamVjdHM= is another word, 736b2d is three bytes, and sk-proj is a beginning"
        #expect(key.redacted(from: harmless) == harmless)
    }

    /// What follows the key may be part of its last character; whatever that makes of it, the key is not shown.
    @Test(arguments: ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F3FB}", "\r\n"]) func anAccentBehindTheKeyDoesNotShowIt(accent: String) throws
    {
        let key = try SecretText("sk-abcab4")
        #expect(key.redacted(from: "sk-abcab4\(accent)!") == "[key]\(accent)!")
        var filter = SecretFilter(key)
        let pieces = ["your key is sk-", "abcab4\(accent)", "e\u{301}sk-abcab", "4", "\(accent)"]
        let shown = pieces.map { filter.pass($0) }.joined() + filter.finish()
        #expect(shown == "your key is [key]\(accent)e\u{301}[key]\(accent)")
        #expect(ServerMessage.excerpt(of: "no: sk-abcab4\(accent)".utf8, count: 60, hiding: key).utf8.starts(with: "no: [key]".utf8))
    }

    /// What servers without keys are given: an answer may hold these words for another reason.
    @Test(arguments: ["none", "test", "dummy", "not-needed"]) func aWordIsNoSecret(word: String) throws {
        let key = try SecretText(word)
        var filter = SecretFilter(key)
        #expect(filter.pass("There is \(word) here, no") == "There is \(word) here, no")
        #expect(filter.finish() == "")
        #expect(key.redacted(from: word) == word)
        #expect("\(key)" == "[key]")
    }

    @Test func withoutAKeyNothingIsHeldBack() {
        var filter = SecretFilter(nil)
        #expect(filter.pass("sk-") == "sk-")
        #expect(filter.finish() == "")
    }
}
