import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import Assistant
@testable import OpenAI

/// A virtual Monocle with our scripts on real MicroPython, the session, the client, and a server on the loopback: in real time,
/// since the server's time is real.
@Suite(
    .enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized, .timeLimit(.minutes(4)))
struct WholeConversationTests {
    private static func event(_ text: String) -> String {
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\(text)\"},\"finish_reason\":null}]}\n\n"
    }

    private static let ending = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
        + "data: {\"choices\":[],\"usage\":{\"total_tokens\":64}}\n\ndata: [DONE]\n\n"

    private static func stream(_ tokens: [String], every pause: Duration, over reply: LocalServer.Reply) async throws {
        let clock = SessionClock.continuous
        try await reply.head(200, [("Content-Type", "text/event-stream")])
        for token in tokens {
            try await reply.write(event(token))
            try await clock.sleep(until: clock.deadline(in: pause))
        }
        try await reply.write(ending)
        try await reply.end()
    }

    private static func settings(_ url: String) throws -> AssistantSettings {
        AssistantSettings(baseURL: try BaseURL(url), key: try SecretText(HTTPTests.key))
    }

    @Test func speechThenAPhotoWithSpeech() async throws {
        let requests = Inbox<LocalServer.Request>()
        let counter = Counter()
        try await LocalServer.with({ request, reply in
            requests.deliver(request)
            if request.path == "/v1/audio/transcriptions" {
                return try await reply.send(200, "{\"text\":\"\(counter.next() == 1 ? "Who are you?" : "What is this?")\"}")
            }
            let hasPhoto = String(decoding: request.body, as: UTF8.self).contains("image_url")
            try await Self.stream(hasPhoto ? ["It ", "is a ", "bicycle."] : ["I ", "am ", "Noa."], every: .milliseconds(20), over: reply)
        }) { url in
            let told = try await OpenAIResponder.with(Self.settings(url), clock: .continuous) { responder in
                try await ChatBench.with(time: .real(speed: 2), responder: { _ in responder }) { bench in
                    try await bench.waitUntilReady()
                    bench.tap()
                    try await bench.waitForDisplay("the first answer", within: .seconds(120)) { $0 == ["I am Noa."] }
                    try await bench.next("delivery", within: .seconds(20)) { if case .delivered = $0 { true } else { nil } }
                    try await bench.hold()
                    try await bench.waitForDisplay("the second answer", within: .seconds(120)) { $0 == ["It is a bicycle."] }
                    return bench.history.value
                }
            }
            try Self.check(requests)
            #expect(told.contains { if case .photo(Photo(jpeg: ChatBench.picture)) = $0 { true } else { false } })
            for event in told {
                var dumped = ""
                dump(event, to: &dumped)
                for text in [dumped, "\(event)", String(reflecting: event)] { #expect(!text.contains(HTTPTests.key.prefix(10))) }
            }
        }
    }

    private static func check(_ requests: Inbox<LocalServer.Request>) throws {
        var seen: [LocalServer.Request] = []
        while let request = requests.poll() { seen.append(request) }
        try #require(seen.map(\.path) == [
            "/v1/audio/transcriptions", "/v1/chat/completions", "/v1/audio/transcriptions", "/v1/chat/completions",
        ])
        for request in [seen[0], seen[2]] {
            let file = try #require(try MultipartReader(request).parts["file"]?.body)
            #expect(file.count == 44 + 6 * 16_000 * 2)
            #expect(Array(file[..<44]) == Array(WAVFile.bytes(of: Sound(bytes: ChatBench.sound))[..<44]))
            // Every other sample is what the virtual microphone heard.
            let heard = stride(from: 44, to: file.count, by: 4).map { (file[$0], file[$0 + 1]) }
            #expect(heard.allSatisfy { $0.0 == 0 } && heard.map(\.1) == ChatBench.sound)
        }
        let body = try #require(try JSONSerialization.jsonObject(with: Data(seen[3].body)) as? [String: Any])
        let messages = try #require(body["messages"] as? [[String: Any]])
        #expect(messages.map { $0["role"] as? String } == ["system", "user", "assistant", "user"])
        #expect(messages[1]["content"] as? String == "Who are you?")
        #expect(messages[2]["content"] as? String == "I am Noa.")
        let parts = try #require(messages[3]["content"] as? [[String: Any]])
        #expect(parts[0]["text"] as? String == "What is this?")
        let url = (parts[1]["image_url"] as? [String: String])?["url"]
        #expect(url == "data:image/jpeg;base64," + Data(ChatBench.picture).base64EncodedString())
    }

    /// The phone app's way: no word before the last.
    private struct WaitsForTheEnd: Responder {
        let responder: OpenAIResponder

        func hear(
            _ sound: Sound, as mode: AssistantMode, progress: @escaping @Sendable (ResponderProgress) -> Void
        ) async throws -> String { try await responder.hear(sound, as: mode, progress: progress) }

        func answer(
            _ conversation: Conversation, progress: @escaping @Sendable (ResponderProgress) -> Void
        ) async throws -> AnswerSummary {
            guard conversation.messages.last?.text == "whole" else { return try await responder.answer(conversation, progress: progress) }
            let text = Guarded("")
            let summary = try await responder.answer(conversation) { if case .text(let piece) = $0 { text.change { $0 += piece } } }
            progress(.text(text.value))
            return summary
        }
    }

    /// From the server's first token to the first text on the unit: streamed, and as the phone app does it.
    @Test func theFirstWordsDoNotWaitForTheLast() async throws {
        let firstTokens = Inbox<SessionClock.Instant>()
        let shown = Inbox<SessionClock.Instant>()
        let clock = SessionClock.continuous
        try await LocalServer.with({ request, reply in
            let word = String(decoding: request.body, as: UTF8.self).contains("\"whole\"") ? "late" : "soon"
            firstTokens.deliver(clock.now)
            // 40 tokens in 2 s: a fast server.
            try await Self.stream((1...40).map { "\(word)\($0) " }, every: .milliseconds(50), over: reply)
        }) { url in
            var figures: [Duration] = []
            for (question, word) in [("streamed", "soon1"), ("whole", "late1")] {
                try await OpenAIResponder.with(Self.settings(url), clock: clock) { responder in
                    try await ChatBench.with(time: .real(), responder: { _ in WaitsForTheEnd(responder: responder) }) { bench in
                        try await bench.waitUntilReady()
                        bench.commands.deliver(.ask(question))
                        try await bench.waitForDisplay("the first word", within: .seconds(60)) { $0.first?.hasPrefix(word) == true }
                        shown.deliver(clock.now)
                    }
                }
                figures.append(try #require(firstTokens.poll()).duration(to: try #require(shown.poll())))
            }
            print("first token to first text on the unit: streamed \(figures[0]), whole answer first \(figures[1])")
            #expect(figures[0] < figures[1])
        }
    }
}
