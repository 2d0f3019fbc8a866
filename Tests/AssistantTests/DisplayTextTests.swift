import Bluetooth
import Support
import TestSupport
import Testing

@testable import Assistant
@testable import MonocleFamily

@Suite struct DisplayTextTests {
    private static func whole(_ text: String, room: DisplayText.Room = .init()) -> (text: String, folding: TextFolding) {
        DisplayText.whole(text, room: room)
    }

    @Test(arguments: [
        ("Привет, Щука! Объём — 5 №1", "Privet, Shchuka! Obyom - 5 No.1"), ("Їжак і ґанок", "Yizhak i ganok"),
        ("Здраво, Љубљана", "Zdravo, Ljubljana"), ("Größe: ÄÖÜ ß", "Groesse: AeOeUe ss"), ("Élève, garçon, œuvre", "Eleve, garcon, oeuvre"),
        ("Zażółć gęślą jaźń, Łódź", "Zazolc gesla jazn, Lodz"), ("Ευχαριστώ, Θάλασσα", "Eucharisto, Thalassa"),
        ("Þór, Øre, Ægir, İstanbul, ığdır", "Thor, Ore, Aegir, Istanbul, igdir"),
        ("“a” ‘b’ «c» „d“ … 5–6", "\"a\" 'b' \"c\" \"d\" ... 5-6"),
        ("2½ €, m², ﬁn, Ｆｕｌｌ", "2 1/2 EUR, m2, fin, Full"), ("שלום", "slwm"), ("გამარჯობა", "gamarjoba"), ("नमस्ते", "namaste"),
        ("안녕", "annyeong"), ("こんにちは、カタカナー。", "konnichiha,katakana-."),
    ])
    func lettersAreShownBySimilarOnes(text: String, shown: String) {
        let result = Self.whole(text)
        #expect(result.text == shown)
        #expect(result.folding.similar > 0 && result.folding.unknown == 0)
    }

    /// Whatever comes, nothing but ASCII and line ends goes out, and a capital stays one.
    @Test func everyCharacterBecomesWhatTheFontHas() {
        for value in Array(0..<0x3200) + Array(stride(from: 0x3200, to: 0x20000, by: 97)) + Array(0xFE00...0xFFFF) {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            let shown = Self.whole("(\(Character(scalar)))").text
            #expect(shown.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) }, "U+\(String(value, radix: 16)): \(shown)")
        }
        #expect(Self.whole("ЩУКА Ω Æ Ł").text == "ShchUKA O Ae L")
    }

    @Test func whatHasNothingSimilarIsOneQuestionMarkACharacter() {
        let result = Self.whole("日本 👩‍👩‍👧🇩🇪👍🏽 ❤️\u{E000}")
        #expect(result.text == "?? ??? ??")
        #expect(result.folding == TextFolding(unknown: 7))
    }

    @Test func whatIsShownAsWrittenIsNotTold() {
        let plain = String(decoding: 0x20...0x7E, as: UTF8.self)
        for text in [plain.trimmed, "a\u{A0}b", "a\u{AD}b\u{200B}c\u{FEFF}", "a\u{7}b\u{1B}[2J", "a\r\nb", "\u{85}\u{9B}x"] {
            #expect(Self.whole(text).folding.isExact, "\(text.debugDescription)")
        }
        #expect(Self.whole("a\u{7}b\u{1B}[2J\r\nc\u{A0}d\te").text == "ab[2J\nc d e")
        #expect(Self.whole("1️⃣ e\u{301}").folding == TextFolding(similar: 2))
    }

    @Test func whiteSpaceIsOneSpaceOrOneEmptyRow() {
        #expect(Self.whole("\n  a  b \n c \n\n\n\n d\t\n").text == "a b\nc\n\nd")
    }

    @Test func aWordLongerThanARowIsDivided() {
        let word = String(repeating: "x", count: 60)
        #expect(Self.whole("a \(word) b").text.split(separator: " ").map(\.count) == [1, 26, 26, 8, 1])
        #expect(Self.whole(String(repeating: "щ", count: 10)).text.split(separator: " ").map(\.count) == [26, 14])
    }

    @Test func whatAProgramCannotHoldIsLeftOut() {
        let result = Self.whole(String(repeating: "слово ", count: 1000), room: .init(bytes: 100))
        #expect(result.text.utf8.count <= 100 && result.text.hasSuffix("..."))
        #expect(result.folding.omitted + result.folding.similar >= 5000 && result.folding.omitted > 4900)
        #expect(Self.whole("abc", room: .init(bytes: 0)) == ("", TextFolding(omitted: 3)))
        #expect(Self.whole("abc", room: .init(bytes: -5, heap: -5)).text.isEmpty)
        // Many short words weigh more than few long ones.
        let short = Self.whole(String(repeating: "ab ", count: 1000), room: .init(heap: 14_000)).text
        let long = Self.whole(String(repeating: "abcdefghij ", count: 1000), room: .init(heap: 14_000)).text
        #expect((600...800).contains(short.count) && (1800...2000).contains(long.count), "\(short.count), \(long.count)")
    }

    /// Cut anywhere between scalars, as tokens of a model are, and sent on as the outbox does.
    @Test(arguments: 0..<40) func piecesAreFoldedAsTheWhole(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let parts = [
            "u\u{308}", "e\u{301}", "и\u{306}", "ü", "👩‍👩‍👧", "🇩🇪", "1️⃣", "の", "na\u{93E}", "  ", "\n", "\r\n", "a", "Щ", "½", "x\u{302}\u{323}",
            " "
        ]
        let text = "Z" + (0..<60).map { _ in parts.randomElement(using: &numbers) ?? "" }.joined()
        let whole = Self.whole(PlainText.clean(text))
        var outbox = Outbox()
        let id = TurnID(number: 1)
        _ = outbox.take(.add(.init(id, link: nil)))
        var display = DisplayText(room: .init())
        var shown = ""
        var scalars = Array(text.unicodeScalars)[...]
        var now = Duration.zero
        func send() {
            now += .seconds(1)
            while case .answer(let piece, _, _)? = outbox.next(capacity: 8, now: .init(offset: now)), !piece.isEmpty {
                shown += display.take(piece)
            }
        }
        while !scalars.isEmpty {
            let count = Int.random(in: 1...4, using: &numbers)
            var piece = String.UnicodeScalarView()
            piece.append(contentsOf: scalars.prefix(count))
            scalars = scalars.dropFirst(count)
            _ = outbox.take(.append(PlainText.clean(String(piece)), to: id))
            send()
        }
        _ = outbox.take(.end(id))
        send()
        #expect(shown == whole.text)
        #expect(display.folding == whole.folding)
    }
}

private extension String {
    var trimmed: String { String(drop(while: \.isWhitespace)) }
}
