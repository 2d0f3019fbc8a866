import Foundation
import Support
import TestSupport
import Testing

@testable import Assistant
@testable import OpenAI

@Suite struct ServerSentEventTests {
    private static let stream = Array(
        "\u{FEFF}: hello\r\ndata: one\r\n\r\nevent: x\rdata:two\rdata: lines\r\rid: 7\ndata: \n\ndatax: no\nretry: 5\n\ndata: [DONE]".utf8)

    private func events(_ bytes: some Sequence<UInt8>) throws -> [String] {
        var parser = ServerSentEvents()
        var events = try bytes.compactMap { try parser.receive($0) }
        if let rest = try parser.finish() { events.append(rest) }
        return events.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func everyLineEndIsUnderstood() throws {
        #expect(try events(Self.stream) == ["one", "two\nlines", "", "[DONE]"])
    }

    @Test func aLineEndOfTwoBytesIsOne() throws {
        #expect(try events("data: a\r\ndata: b\r\n\r\n".utf8) == ["a\nb"])
    }

    /// A byte order mark is passed over at the beginning, and is part of a field's name elsewhere.
    @Test func aByteOrderMarkIsNoPartOfTheFirstField() throws {
        #expect(try events("\u{FEFF}data: one\n\n\u{FEFF}data: two\n\ndata: three".utf8) == ["one", "three"])
    }

    @Test func aLineOrAnEventWithoutEndIsRefused() throws {
        var parser = ServerSentEvents()
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 15)
        #expect(throws: AssistantError.tooLong(what: "a line of the answer", limitBytes: 65_536)) {
            for byte in piece + piece + piece { _ = try parser.receive(byte) }
        }
        var other = ServerSentEvents()
        #expect(throws: AssistantError.tooLong(what: "an event of the answer", limitBytes: 65_536)) {
            for _ in 0..<3 { for byte in Array("data: ".utf8) + piece + [10] { _ = try other.receive(byte) } }
        }
    }

    @Test(arguments: 0..<50) func noiseDoesNoHarm(seed: UInt64) throws {
        var parser = ServerSentEvents()
        var numbers = SeededNumbers(seed: seed)
        for byte in numbers.bytes(count: 5000) { _ = try parser.receive(byte) }
        _ = try parser.finish()
    }
}

@Suite struct AnswerDecoderTests {
    private func decode(_ text: String, seed: UInt64 = 1) throws -> (text: String, summary: AnswerSummary) {
        var decoder = AnswerDecoder(hiding: nil)
        var numbers = SeededNumbers(seed: seed)
        var pieces: [String] = []
        for fragment in numbers.fragments(of: Array(text.utf8)) { try decoder.receive(fragment) { pieces.append($0) } }
        try decoder.finish { pieces.append($0) }
        #expect(!pieces.contains(""))
        return (pieces.joined(), try decoder.summary())
    }

    private static func chunk(_ text: String) -> String {
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\(text)\"},\"finish_reason\":null}]}\n\n"
    }

    @Test(arguments: 0..<50) func streamsAndTheirTokens(seed: UInt64) throws {
        let stream = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n" + Self.chunk("Hällo")
            + ": keep-alive\n\n" + Self.chunk(" \\ud83d\\ude00")
            + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
            + "data: {\"choices\":[],\"usage\":{\"total_tokens\":42}}\n\ndata: [DONE]\n\n"
        let (text, summary) = try decode(stream, seed: seed)
        #expect(text == "Hällo 😀")
        #expect(summary == AnswerSummary(totalTokens: 42))
    }

    @Test func aServerThatDoesNotStreamIsUnderstood() throws {
        let body =
            "\n {\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"Whole\"},\"finish_reason\":\"length\"}],\"usage\":{\"total_tokens\":3}}"
        let (text, summary) = try decode(body)
        #expect(text == "Whole")
        #expect(summary == AnswerSummary(totalTokens: 3, cutShort: .byLength))
    }

    @Test func eventsWithoutDataArePassedOver() throws {
        let stream = "data:\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"noon\"},\"finish_reason\":\"stop\"}]}\n\ndata: \n\ndata: [DONE]\n\n"
        #expect(try decode(stream).text == "noon")
        #expect(throws: AssistantError.notUnderstood("it begins with data:")) { try decode("data:\n\n") }
    }

    /// Text in parts, as some servers send it.
    @Test func partsAreJoined() throws {
        let parts = "[{\"type\":\"text\",\"text\":\"One \"},{\"type\":\"image_url\"},{\"type\":\"text\",\"text\":\"two\"}]"
        #expect(try decode("{\"choices\":[{\"message\":{\"content\":\(parts)}}]}").0 == "One two")
        let (text, _) = try decode("data: {\"choices\":[{\"delta\":{\"content\":\(parts)},\"finish_reason\":\"stop\"}]}\n\n")
        #expect(text == "One two")
    }

    @Test(arguments: [
        ("<html><body>Bad gateway", AssistantError.notUnderstood("an HTML page")),
        ("{\"choices\":[{\"message\":{\"content\":\"\"}}]}", .emptyAnswer),
        ("", .emptyAnswer),
        ("data: [DONE]\n\n", .emptyAnswer),
        ("{\"id\":1}", .notUnderstood("JSON without choices")),
        ("{\"choi", .notUnderstood("it begins with {\"choi")),
        ("data: what\u{1B}[2J\n\n", .notUnderstood("an event that is not JSON: what\u{FFFD}[2J")),
        ("data: {\"error\":{\"message\":\"overloaded\",\"code\":1}}\n\n", .serverFailed(status: 200, "overloaded")),
        ("data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n", .brokenOff(afterBytes: 4)),
        ("\u{1}\u{2}garbage", .notUnderstood("it begins with \u{FFFD}\u{FFFD}garbage")),
        ("event: message", .notUnderstood("it begins with event: message")),
        (": a server that still thinks\n\n", .brokenOff(afterBytes: 0)),
    ])
    func otherThings(body: String, error: AssistantError) {
        #expect(throws: error) { _ = try decode(body) }
    }

    @Test func anAnswerWithoutEndIsCutBetweenCharacters() throws {
        var decoder = AnswerDecoder(hiding: nil)
        var text = ""
        var rounds = 0
        while !decoder.isComplete, rounds < 10_000 {
            rounds += 1
            try decoder.receive(Array(Self.chunk("👩‍👩‍👧é").utf8)) { text += $0 }
        }
        #expect(text.utf8.count <= AnswerDecoder.textLimit && text.utf8.count > AnswerDecoder.textLimit - 30)
        #expect(text.allSatisfy { $0 == "👩‍👩‍👧" || $0 == "é" })
        #expect(try decoder.summary().cutShort == .byLength)
    }

    @Test func moreThanAMegabyteIsRefused() {
        var decoder = AnswerDecoder(hiding: nil)
        #expect(throws: AssistantError.tooLong(what: "the answer", limitBytes: 1 << 20)) {
            for _ in 0..<100 { _ = try decoder.receive([UInt8](repeating: UInt8(ascii: "{"), count: 1 << 14)) { _ in } }
        }
    }

    /// What an answer comes to, read as the client reads it.
    private enum Outcome: Equatable {
        case answer(String, AnswerSummary)
        case failure(String, AssistantError)
    }

    private func read(_ packets: [ArraySlice<UInt8>]) -> Outcome {
        var decoder = AnswerDecoder(hiding: nil)
        var text = ""
        do {
            for packet in packets where !decoder.isComplete { try decoder.receive(Array(packet)) { text += $0 } }
            if !decoder.isComplete { try decoder.finish { text += $0 } }
            return .answer(text, try decoder.summary())
        } catch {
            return .failure(text, error)
        }
    }

    private static let failure = "data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\n"

    /// As OpenAI, llama.cpp, Ollama, vLLM, OpenRouter and servers that do not stream send them, well and ill.
    private static let streams: [(String, Outcome)] = [
        (
            "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n" + chunk("Hällo") + chunk(" 😀")
                + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: "
                + "{\"choices\":[],\"usage\":{\"total_tokens\":4}}\n\ndata: [DONE]\n\n",
            .answer("Hällo 😀", AnswerSummary(totalTokens: 4))
        ),
        (
            ": OPENROUTER PROCESSING\r\n\r\n" + chunk("One").replacing("\n", with: "\r\n") + failure,
            .failure("One", .serverFailed(status: 200, "overloaded"))
        ),
        (
            chunk("One") + chunk(" two") + "event: error\n" + failure + "data: [DONE]\n\n",
            .failure("One two", .serverFailed(status: 200, "overloaded"))
        ),
        (chunk("One") + "data: {\"error\":\"out of memory\"}\r\r", .failure("One", .serverFailed(status: 200, "out of memory"))),
        (
            "data: {\"choices\":[{\"delta\":{\"content\":\"One\"},\"finish_reason\":\"error\"}],\"error\":{\"message\":\"gone\"}}\n\n",
            .failure("One", .serverFailed(status: 200, "gone"))
        ),
        (chunk("One") + "data: what?\n\n" + chunk("two"), .failure("One", .notUnderstood("an event that is not JSON: what?"))),
        (chunk("One") + "data: {\"choices\":[{\"delta\":{\"content\":\" two\"}}]}", .failure("One two", .brokenOff(afterBytes: 7))),
        (chunk("One") + "data: [DONE]\n\n" + failure, .answer("One", AnswerSummary())),
        (failure, .failure("", .serverFailed(status: 200, "overloaded"))),
        ("{\"error\":{\"message\":\"overloaded\"}}", .failure("", .serverFailed(status: 200, "overloaded"))),
        (" \n{\"choices\":[{\"message\":{\"content\":\"Whole\"}}]}", .answer("Whole", AnswerSummary())),
        ("\u{1}\u{2}garbage", .failure("", .notUnderstood("it begins with \u{FFFD}\u{FFFD}garbage"))),
        ("<html>Bad gateway", .failure("", .notUnderstood("an HTML page"))),
    ]

    /// In one packet, in two cut anywhere, byte for byte: the same bytes are the same answer, and no text before an error is lost.
    @Test(arguments: streams.indices) func cutsDoNotMatter(index: Int) {
        let (stream, outcome) = Self.streams[index]
        let bytes = Array(stream.utf8)
        #expect(read([bytes[...]]) == outcome)
        #expect(read(bytes.indices.map { bytes[$0...$0] }) == outcome)
        for cut in bytes.indices { #expect(read([bytes[..<cut], bytes[cut...]]) == outcome, "cut at \(cut)") }
    }

    /// A limit that is passed in the middle of a packet loses nothing that came before it.
    @Test(arguments: [13, 1000, 1 << 21]) func cutsAtALimitDoNotMatter(size: Int) {
        let word = String(repeating: "x", count: 16_000)
        let long = Array((Self.chunk("One") + "data: " + String(repeating: "y", count: 1 << 17)).utf8)
        let many = Array((Self.chunk(word) + Self.chunk(word) + Self.failure).utf8)
        let huge = Array((Self.chunk("One") + String(repeating: ": wait\n", count: 1 << 18)).utf8)
        func packets(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
            stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min(bytes.count, $0 + size)] }
        }
        #expect(read(packets(long)) == .failure("One", .tooLong(what: "a line of the answer", limitBytes: 1 << 16)))
        #expect(read(packets(huge)) == .failure("One", .tooLong(what: "the answer", limitBytes: 1 << 20)))
        guard case .answer(let text, let summary) = read(packets(many)) else { return _ = Issue.record("the text's limit is no failure") }
        #expect(text.utf8.count == AnswerDecoder.textLimit && summary.cutShort == .byLength)
    }
}

@Suite struct SoundTests {
    @Test func theHeaderIsExact() {
        let file = WAVFile.bytes(of: Sound(samples: [0, 1, -1, 127, -128]))
        let header = "52494646" + "38000000" + "57415645666d742010000000" + "01000100" + "803e0000" + "007d0000" + "02001000"
            + "6461746114000000"
        #expect(file.prefix(44).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == header)
        #expect(file.count == 44 + 20)
        #expect(WAVFile.bytes(of: Sound(samples: [])).count == 44)
    }

    /// The samples that were there stay as they are.
    @Test func originalSamplesSurvive() {
        let samples = SeededNumbers.bytes(500, seed: 3).map { Int8(bitPattern: $0) }
        let doubled = Interpolation.doubled(samples)
        #expect(doubled.count == 1000)
        for (index, sample) in samples.enumerated() { #expect(doubled[2 * index] == Int16(sample) << 8) }
    }

    /// A tone must not appear a second time, mirrored at 4 kHz; linear interpolation leaves it there at −20 dB and worse.
    @Test(arguments: [300.0, 1000.0, 2000.0, 3000.0]) func noImageAppears(hertz: Double) {
        let samples = (0..<4000).map { Int8((100 * sin(2 * .pi * hertz * Double($0) / 8000)).rounded()) }
        let doubled = Interpolation.doubled(samples).dropFirst(200).dropLast(200).map(Double.init)
        let tone = strength(of: hertz, in: Array(doubled))
        let image = strength(of: 8000 - hertz, in: Array(doubled))
        #expect(20 * log10(image / tone) < -40, "image at \(20 * log10(image / tone)) dB")
        #expect(abs(tone / (100 * 256) - 1) < 0.02)
    }

    private func strength(of hertz: Double, in samples: [Double]) -> Double {
        var (real, imaginary, weight) = (0.0, 0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let window = 0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(samples.count))
            let phase = 2 * .pi * hertz * Double(index) / 16_000
            real += sample * window * cos(phase)
            imaginary += sample * window * sin(phase)
            weight += window
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / weight
    }

    @Test func echoTellsLengthAndLevel() async throws {
        let echo = EchoResponder()
        let loud = Sound(samples: (0..<20_000).map { $0 % 2 == 0 ? 64 : -64 })
        #expect(try await echo.hear(loud, as: .assistant) { _ in } == "2.5 s of sound at -6 dBFS, peak -6")
        #expect(try await echo.hear(Sound(samples: [Int8](repeating: 0, count: 8000)), as: .assistant) { _ in } == "1.0 s of silence")
        #expect(Sound(samples: [-128]).peak == 0)
        #expect(Sound(samples: []).level == nil)
    }
}

@Suite struct TextCutterTests {
    @Test(arguments: [4, 5, 7, 16, 249]) func piecesFitAndMakeTheText(limit: Int) {
        let text = String(repeating: "né e\u{301}漢字👩‍👩‍👧🇩🇪 z\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}.", count: 20)
        let pieces = PlainText.pieces(of: text, atMostBytes: limit)
        #expect(pieces.allSatisfy { !$0.isEmpty && $0.utf8.count <= limit })
        #expect(pieces.joined() == text)
        if limit >= 25 { #expect(pieces.flatMap { Array($0) } == Array(text)) }
    }
}

@Suite struct RetryTests {
    private func policy(jitter: Double = 1) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.attempts = 20
        policy.jitter = { jitter }
        return policy
    }

    @Test func waitsGrowAndStop() {
        let delays = (1...8).map { policy().delay(afterAttempts: $0, wanted: nil) }
        #expect(
            delays == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(20), .seconds(20)])
        #expect(policy(jitter: 0).delay(afterAttempts: 1, wanted: nil) == .milliseconds(250))
        #expect(policy().delay(afterAttempts: 20, wanted: nil) == nil)
        #expect(policy().delay(afterAttempts: .max, wanted: nil) == nil)
    }

    @Test func theServerMayWantMoreButNotEverything() {
        #expect(policy().delay(afterAttempts: 1, wanted: .seconds(7)) == .seconds(7))
        #expect(policy().delay(afterAttempts: 1, wanted: .zero) == .milliseconds(500))
        #expect(policy().delay(afterAttempts: 1, wanted: .seconds(61)) == nil)
    }

    @Test(arguments: [
        ("7", nil, Duration.seconds(7)), (" 120 ", nil, .seconds(120)), ("99999999999999999999", nil, .seconds(999_999_999)),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:07 GMT", .seconds(30)),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:07 GMT", .zero),
        ("Sun, 06 Nov 1994 08:49:37 GMT", nil, nil), ("soon", nil, nil), ("-1", nil, nil), ("", nil, nil),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "garbage", nil),
    ] as [(String, String?, Duration?)])
    func retryAfter(value: String, date: String?, expected: Duration?) {
        #expect(RetryAfter.parse(value, date: date) == expected)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
        ("Tue, 01 Mar 2400 12:00:00 GMT", 13_574_692_800),
    ] as [(String, Int64)])
    func dates(text: String, seconds: Int64) { #expect(HTTPDate.seconds(text) == seconds) }
}
