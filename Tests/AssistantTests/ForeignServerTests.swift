import AsyncHTTPClient
import Bluetooth
import Foundation
import NIOCore
import NIOHTTP1
import Support
import Synchronization
import TestSupport
import Testing

@testable import Assistant
@testable import OpenAI

/// The client against LLMock (PyPI), an OpenAI-compatible server of somebody else's that breaks on demand and judges how its
/// clients take it.
@Suite(
    .enabled(if: TestTools.mayRunLLMock, "LLMock is missing: run Tools/setup tests"), .serialized, .timeLimit(.minutes(3)))
struct ForeignServerTests {
    private struct Peer: Sendable {
        let url: String
        let http: HTTPClient

        func call(_ method: String, _ path: String, _ body: String = "") async throws -> String {
            var request = HTTPClientRequest(url: "\(url)/_llmock/\(path)")
            request.method = .init(rawValue: method)
            request.body = .bytes(ByteBuffer(string: body))
            let response = try await http.execute(request, timeout: .seconds(10))
            return String(buffer: try await response.body.collect(upTo: 1 << 20))
        }

        func script(_ behaviours: String) async throws {
            _ = try await call("POST", "reset")
            _ = try await call("POST", "scenario", "{\"behaviors\": [\(behaviours)]}")
        }

        /// What the judge says about this client.
        func verdict() async throws -> String { try await call("GET", "verdict?format=text") }
    }

    private func withPeer(_ body: @escaping @Sendable (Peer, OpenAIResponder) async throws -> Void) async throws {
        let url = try await LocalServer.with({ _, _ in }) { $0 }
        // AsyncHTTPClient throws away what it still holds when a connection breaks: chunks that come in one burst with the end of it reach
        // nobody.
        let process = try TestProcess(
            URL(fileURLWithPath: try TestTools.require(TestTools.llmock, "LLMock")),
            [
                "serve", "--host", "127.0.0.1", "--port", String(url.split(separator: ":").last ?? ""), "--response-style", "echo",
                "--stream-chunk-delay-ms", "100",
            ], output: .nothing, errors: .nothing)
        defer {
            // It holds no state, and would wait for idle connections.
            process.signal(SIGKILL)
            process.waitUntilExit()
        }
        let peer = Peer(url: url, http: .shared)
        try await waitUntilThere(peer)
        let settings = AssistantSettings(baseURL: try BaseURL(url), key: try SecretText(HTTPTests.key))
        try await OpenAIResponder.with(settings, clock: .continuous) { try await body(peer, $0) }
    }

    private func waitUntilThere(_ peer: Peer) async throws {
        let clock = SessionClock.continuous
        let deadline = clock.deadline(in: .seconds(60))
        while true {
            do {
                _ = try await peer.call("GET", "requests")
                return
            } catch {
                guard clock.now < deadline else { throw error }
                try await clock.sleep(until: clock.deadline(in: .milliseconds(100)))
            }
        }
    }

    private func answer(_ responder: OpenAIResponder, to question: String) async throws -> (String, AnswerSummary) {
        var conversation = Conversation()
        conversation.ask(question, photo: Photo(jpeg: [0xFF, 0xD8, 0xFF]))
        let text = Guarded("")
        let summary = try await responder.answer(conversation) { progress in
            if case .text(let piece) = progress { text.change { $0 += piece } }
        }
        return (text.value, summary)
    }

    @Test func itAnswersAndBreaksAndTheJudgeIsContent() async throws {
        try await withPeer { peer, responder in
            let (text, summary) = try await answer(responder, to: "What is the weather like?")
            // It repeats the beginning of all messages.
            #expect(text.hasPrefix("Hello! You said: You are Noa, the assistant"), "\(text)")
            #expect(summary.cutShort == nil && (summary.totalTokens ?? 0) > 0)

            // A server that is busy, then down, then well.
            try await peer.script("""
                {"type": "fail", "status": 429, "retry_after": 1}, {"type": "fail", "status": 503}, {"type": "reply", "text": "Here I am."}
                """)
            #expect(try await answer(responder, to: "Anybody?").0 == "Here I am.")
            // Errors that no second attempt mends.
            for status in [401, 404] {
                _ = try await peer.call("POST", "scenario", "{\"behaviors\": [{\"type\": \"fail\", \"status\": \(status)}]}")
                let error = await #expect(throws: AssistantError.self) { _ = try await answer(responder, to: "And \(status)?") }
                #expect(error?.diagnosis.message.contains("\(status)") == true)
            }
            let verdict = try await peer.verdict()
            #expect(verdict.contains("PASS"), "\(verdict)")
            #expect(verdict.contains("3 call(s), 5 attempt(s)"), "\(verdict)")
        }
    }

    @Test(arguments: ["disconnect", "truncate", "malformed"]) func aStreamThatBreaksIsKeptAndMarked(kind: String) async throws {
        try await withPeer { peer, responder in
            try await peer.script(
                "{\"type\": \"stream_fault\", \"kind\": \"\(kind)\", \"after_chunks\": 4}, {\"type\": \"reply\", \"text\": \"one two "
                    + "three four five six\"}"
            )
            let (text, summary) = try await answer(responder, to: "Count")
            #expect(text.hasPrefix("one two"), "\(text)")
            #expect(!text.contains("six"))
            switch summary.cutShort {
            case .byError(.brokenOff) where kind != "malformed": break
            case .byError(.notUnderstood) where kind == "malformed": break
            default: Issue.record("\(kind) ended as \(String(describing: summary.cutShort))")
            }
        }
    }
}
