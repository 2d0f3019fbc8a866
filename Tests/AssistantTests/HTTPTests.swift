import Bluetooth
import Foundation
import Support
import Synchronization
import TestSupport
import Testing

@testable import Assistant
@testable import OpenAI

/// The client against a real server on the loopback.
@Suite(.timeLimit(.minutes(2))) struct HTTPTests {
    static let key = "sk-test-0123456789abcdef"
    static let hello = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n"
        + "data: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}],\"usage\":{\"total_tokens\":7}}\n\ndata: "
        + "[DONE]\n\n"

    /// The first word, and then silence.
    private static func beginHello(_ reply: LocalServer.Reply) async throws {
        try await reply.head(200, [("Content-Type", "text/event-stream")])
        try await reply.write(hello.prefix(60))
    }

    private struct Surroundings: Sendable {
        let responder: OpenAIResponder
        let requests: Inbox<LocalServer.Request>
        let progress = Inbox<ResponderProgress>()

        func answer(_ question: String = "Hi?") async throws -> AnswerSummary {
            var conversation = Conversation()
            conversation.ask(question)
            return try await responder.answer(conversation) { progress.deliver($0) }
        }

        /// The text so far.
        func text() -> String {
            var text = ""
            while let next = progress.poll() { if case .text(let piece) = next { text += piece } }
            return text
        }

        func nextRequest() async throws -> LocalServer.Request? {
            try await requests.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous)
        }
    }

    private func with<Value: Sendable>(
        clock: SessionClock = .continuous, key: String? = HTTPTests.key, takesImages: Bool = true,
        server handler: @escaping @Sendable (Int, LocalServer.Request, LocalServer.Reply) async throws -> Void,
        body: @escaping @Sendable (Surroundings) async throws -> Value
    ) async throws -> Value {
        let requests = Inbox<LocalServer.Request>()
        let count = Counter()
        return try await LocalServer.with({ request, reply in
            requests.deliver(request)
            try await handler(count.next(), request, reply)
        }) { url in
            var settings = AssistantSettings(baseURL: try BaseURL(url), key: try key.map { try SecretText($0) })
            settings.retries.jitter = { 1 }
            settings.takesImages = takesImages
            return try await OpenAIResponder.with(settings, clock: clock) { responder in
                try await body(Surroundings(responder: responder, requests: requests))
            }
        }
    }

    // MARK: - Requests

    @Test func anAnswerStreams() async throws {
        try await with(server: { _, _, reply in try await reply.send(200, Self.hello, type: "text/event-stream") }) { here in
            let summary = try await here.answer("Hi „you“?")
            #expect(summary == AnswerSummary(totalTokens: 7))
            #expect(here.text() == "Hello")
            let request = try #require(try await here.nextRequest())
            #expect(request.method == "POST" && request.path == "/v1/chat/completions")
            #expect(request.header("Authorization") == "Bearer \(Self.key)")
            let body = try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
            #expect(body["stream"] as? Bool == true && body["model"] as? String == "gpt-4o-mini")
            let messages = try #require(body["messages"] as? [[String: String]])
            #expect(messages.map { $0["role"] } == ["system", "user"])
            #expect(messages.last?["content"] == "Hi „you“?")
        }
    }

    /// The first words are there while the server still holds the rest back.
    @Test func wordsComeBeforeTheEnd() async throws {
        let goOn = Inbox<Void>()
        try await with(server: { _, _, reply in
            try await Self.beginHello(reply)
            _ = try await goOn.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous)
            try await reply.write(Self.hello.dropFirst(60))
            try await reply.end()
        }) { here in
            async let summary = here.answer()
            let first = try await here.progress.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous)
            // The last letter may begin the key in another form.
            let words = if case .text(let text) = first { text } else { "" }
            #expect("Hel".hasPrefix(words) && words.count >= 2)
            goOn.deliver(())
            let tokens = try await summary.totalTokens
            #expect(tokens == 7)
            #expect(words + here.text() == "Hello")
        }
    }

    @Test func aLocalServerNeedsNoKey() async throws {
        let whole = "{\"choices\":[{\"message\":{\"content\":\"Whole\"}}]}"
        try await with(key: nil, server: { _, _, reply in try await reply.send(200, whole) }) { here in
            _ = try await here.answer()
            #expect(here.text() == "Whole")
            #expect(try #require(try await here.nextRequest()).header("Authorization") == nil)
        }
    }

    /// A model without eyes gets the words alone.
    @Test(arguments: [true, false]) func aPictureGoesToModelsThatTakeOne(takesImages: Bool) async throws {
        try await with(takesImages: takesImages, server: { _, _, reply in
            try await reply.send(200, Self.hello, type: "text/event-stream")
        }) { here in
            var conversation = Conversation()
            conversation.ask("What is it?", photo: Photo(jpeg: [0xFF, 0xD8, 0xFF]))
            _ = try await here.responder.answer(conversation) { _ in }
            let body = try #require(try await here.nextRequest()).body
            let messages =
                try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])["messages"] as? [[String: Any]]
            if takesImages {
                let parts = try #require(messages?.last?["content"] as? [[String: Any]])
                #expect((parts.last?["image_url"] as? [String: String])?["url"] == "data:image/jpeg;base64,/9j/")
            } else {
                #expect((messages?.last?["content"] as? String)?.contains("What is it?") == true)
            }
        }
    }

    @Test(arguments: AssistantMode.allCases) func speechGoesAsWAV(mode: AssistantMode) async throws {
        try await with(server: { _, _, reply in try await reply.send(200, "{\"text\": \" What time is it? \"}") }) { here in
            let sound = Sound(samples: (0..<8000).map { Int8(truncatingIfNeeded: $0) })
            #expect(try await here.responder.hear(sound, as: mode) { _ in } == "What time is it?")
            let request = try #require(try await here.nextRequest())
            #expect(request.path == (mode == .assistant ? "/v1/audio/transcriptions" : "/v1/audio/translations"))
            let form = try MultipartReader(request)
            #expect(form.text("model") == "whisper-1" && form.text("response_format") == "json")
            #expect(form.parts["file"]?.body == WAVFile.bytes(of: sound))
            #expect(form.parts["file"]?.head.contains("filename=\"speech.wav\"") == true)
        }
    }

    // MARK: - Retries, on a clock that the test moves

    @Test(arguments: [429, 500, 502, 503]) func aBusyServerIsAskedAgainWhenItSays(status: Int) async throws {
        let manual = ManualClock()
        try await with(clock: manual.clock, server: { count, _, reply in
            if count == 1 { return try await reply.send(status, "{}", headers: [("Retry-After", "7")]) }
            try await reply.send(200, Self.hello, type: "text/event-stream")
        }) { here in
            async let summary = here.answer()
            await manual.waitForSleeper(lasting: .seconds(7) ... .seconds(7))
            manual.advance(by: .seconds(7))
            let tokens = try await summary.totalTokens
            #expect(tokens == 7)
            guard case .retrying(.seconds(7), _) = here.progress.poll() else {
                Issue.record("the pause was not told")
                return
            }
        }
    }

    @Test func aDateIsHonouredToo() async throws {
        let manual = ManualClock()
        let headers = [("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:49:07 GMT")]
        try await with(clock: manual.clock, server: { count, _, reply in
            if count == 1 { return try await reply.send(503, "", headers: headers) }
            try await reply.send(200, Self.hello)
        }) { here in
            async let summary = here.answer()
            await manual.waitForSleeper(lasting: .seconds(30) ... .seconds(30))
            manual.advance(by: .seconds(30))
            let tokens = try await summary.totalTokens
            #expect(tokens == 7)
        }
    }

    @Test func waitsDoubleAndThenItGivesUp() async throws {
        let manual = ManualClock()
        try await with(clock: manual.clock, server: { _, _, reply in
            try await reply.send(500, "{\"error\": {\"message\": \"database \\u001b[31m down\"}}")
        }) { here in
            async let answer = here.answer()
            for milliseconds in [500, 1000, 2000] {
                await manual.waitForSleeper(lasting: .milliseconds(milliseconds) ... .milliseconds(milliseconds))
                manual.advance(by: .milliseconds(milliseconds))
            }
            let error: AssistantError?
            do {
                _ = try await answer
                error = nil
            } catch let thrown as AssistantError {
                error = thrown
            }
            #expect(error == .serverFailed(status: 500, "database \u{FFFD}[31m down"))
            var count = 0
            while here.requests.poll() != nil { count += 1 }
            #expect(count == 4)
        }
    }

    @Test(arguments: [
        (401, "{\"error\":{\"message\":\"Incorrect API key\"}}", AssistantError.unauthorized(status: 401, "Incorrect API key")),
        (404, "{\"error\":\"model not found\"}", .refused(status: 404, "model not found")),
        (422, "{\"detail\":\"no such field\"}", .refused(status: 422, "no such field")),
        (429, "{\"error\":{\"message\":\"No money\",\"code\":\"insufficient_quota\"}}", .tooManyRequests("No money", retryAfter: nil)),
        (501, "<html>no</html>", .serverFailed(status: 501, "an HTML page")),
        (200, "<!DOCTYPE html><p>Login</p>", .notUnderstood("an HTML page")),
        (200, "{}", .notUnderstood("JSON without choices")),
        (200, "", .emptyAnswer),
        (200, "{\"choices\":[{\"message\":{\"content\":\"\"}}]}", .emptyAnswer),
    ] as [(Int, String, AssistantError)])
    func whatCannotBeMendedIsTold(status: Int, body: String, error: AssistantError) async throws {
        try await with(clock: ManualClock().clock, server: { _, _, reply in try await reply.send(status, body) }) { here in
            let thrown = await #expect(throws: AssistantError.self) { _ = try await here.answer() }
            #expect(thrown == error)
        }
    }

    @Test func aServerThatWantsAnHourIsNotWaitedFor() async throws {
        try await with(clock: ManualClock().clock, server: { _, _, reply in
            try await reply.send(429, "{}", headers: [("Retry-After", "3600")])
        }) { here in
            let thrown = await #expect(throws: AssistantError.self) { _ = try await here.answer() }
            #expect(thrown == .tooManyRequests("{}", retryAfter: .seconds(3600)))
        }
    }

    // MARK: - Faults

    @Test func aServerThatHangsIsGivenUp() async throws {
        let manual = ManualClock()
        try await with(clock: manual.clock, server: { _, _, reply in try await reply.waitUntilClientGoes() }) { here in
            async let answer = here.answer()
            _ = try await here.nextRequest()
            await manual.waitForSleeper(lasting: .seconds(60) ... .seconds(60))
            manual.advance(by: .seconds(60))
            let error: AssistantError?
            do {
                _ = try await answer
                error = nil
            } catch let thrown as AssistantError {
                error = thrown
            }
            #expect(error == .timedOut("the server's answer"))
        }
    }

    @Test func aStreamThatStallsIsKept() async throws {
        let manual = ManualClock()
        try await with(clock: manual.clock, server: { _, _, reply in
            try await Self.beginHello(reply)
            try await reply.waitUntilClientGoes()
        }) { here in
            async let answer = here.answer()
            let first = try await here.progress.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous)
            let words = if case .text(let text) = first { text } else { "" }
            await manual.waitForSleeper(lasting: .seconds(30) ... .seconds(30))
            manual.advance(by: .seconds(30))
            let cut = try await answer.cutShort
            #expect(cut == .byError(.timedOut("the next words")))
            #expect(words.count >= 2 && words + here.text() == "Hel")
        }
    }

    @Test func aStreamThatBreaksOffIsKept() async throws {
        try await with(server: { _, _, reply in
            try await Self.beginHello(reply)
            try await reply.hangUp()
        }) { here in
            let cut = try await here.answer().cutShort
            #expect(cut == .byError(.brokenOff(afterBytes: 3)))
            #expect(here.text() == "Hel")
        }
    }

    /// Nothing of the answer was there yet, so the request is made again.
    @Test func aConnectionThatBreaksBeforeTheFirstWordIsTriedAgain() async throws {
        let manual = ManualClock()
        try await with(clock: manual.clock, server: { count, _, reply in
            if count == 1 { return try await reply.hangUp() }
            if count == 2 {
                try await reply.head(200)
                try await reply.write(": thinking\n")
                return try await reply.hangUp()
            }
            try await reply.send(200, Self.hello)
        }) { here in
            async let summary = here.answer()
            for milliseconds in [500, 1000] {
                await manual.waitForSleeper(lasting: .milliseconds(milliseconds) ... .milliseconds(milliseconds))
                manual.advance(by: .milliseconds(milliseconds))
            }
            let tokens = try await summary.totalTokens
            #expect(tokens == 7)
            #expect(here.text() == "Hello")
        }
    }

    @Test func tenMegabytesAreNotRead() async throws {
        try await with(server: { _, _, reply in
            try await reply.head(200, [("Content-Type", "application/json")])
            let block = [UInt8](repeating: UInt8(ascii: "{"), count: 1 << 16)
            for _ in 0..<160 { try await reply.write(block) }
            try await reply.end()
        }) { here in
            let error = await #expect(throws: AssistantError.self) { _ = try await here.answer() }
            #expect(error == .tooLong(what: "the answer", limitBytes: 1 << 20))
            let other = await #expect(throws: AssistantError.self) {
                _ = try await here.responder.hear(Sound(samples: [1]), as: .assistant) { _ in }
            }
            #expect(other == .tooLong(what: "the answer", limitBytes: 1 << 20))
        }
    }

    @Test func aRedirectIsNotFollowed() async throws {
        let strangers = Inbox<LocalServer.Request>()
        try await LocalServer.with({ request, reply in
            strangers.deliver(request)
            try await reply.send(200, Self.hello)
        }) { stranger in
            try await with(server: { _, _, reply in
                try await reply.send(307, "", headers: [("Location", stranger + "/v1/chat/completions")])
            }) { here in
                let error = await #expect(throws: AssistantError.self) { _ = try await here.answer() }
                #expect(error == .redirected(to: stranger + "/v1/chat/completions"))
            }
        }
        #expect(strangers.poll() == nil)
    }

    @Test func cancellingEndsTheRequest() async throws {
        let gone = Inbox<Void>()
        try await with(server: { _, _, reply in
            try await reply.waitUntilClientGoes()
            gone.deliver(())
        }) { here in
            await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await here.answer() }
                _ = try? await here.nextRequest()
                group.cancelAll()
                await #expect(throws: CancellationError.self) { try await group.next() }
            }
            let end: Void? = try await gone.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous)
            #expect(end != nil)
        }
    }

    // MARK: - The key

    /// A server that repeats the key in everything it says.
    @Test(arguments: [401, 429, 500, 404, 200, 302]) func theKeyIsNowhere(status: Int) async throws {
        let padding = String(repeating: "x", count: 190)
        let texts = try await with(clock: ManualClock().clock, server: { _, _, reply in
                let body =
                    status == 200
                    ? "Your key is \(Self.key)" : "{\"error\":{\"message\":\"\(padding) \(Self.key)\",\"code\":\"insufficient_quota\"}}"
            try await reply.send(status, body, headers: [("Location", "http://x/?\(Self.key)"), ("Retry-After", "3600")])
        }) { here in
            let error = await #expect(throws: AssistantError.self) { _ = try await here.answer() }
            var dumped = ""
            dump(here.responder, to: &dumped, maxDepth: 3)
            dump(error, to: &dumped)
            dump(here.responder.settings, to: &dumped)
            let settings = here.responder.settings
            return [
                dumped, "\(here.responder)", String(reflecting: here.responder), "\(settings)", String(reflecting: settings),
                "\(String(describing: error?.diagnosis))", String(reflecting: error),
                "\(Mirror(reflecting: settings).children.map { "\($0)" })"
            ]
        }
        for text in texts { #expect(!text.contains(Self.key.prefix(10)), "\(text)") }
        #expect(texts[0].contains("[key]"))
    }
}
