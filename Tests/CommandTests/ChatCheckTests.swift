import Foundation
import Support
import TestSupport
import Testing

@testable import noafw

/// `chat --check` against a real server on the loopback: what does not answer is not proved.
@Suite struct ChatCheckTests {
    private static let key = "sk-check-0123456789abcdef"

    private func check(_ words: [String]) async throws -> (code: Int32, output: String, diagnostics: String) {
        let harness = Harness()
        var context = harness.context(["chat", "--check"] + words, environment: ["HOME": "/home/op", "NOAFW_API_KEY": Self.key])
        context.clock = .continuous
        let code = await Noafw.execute(in: context)
        return (code, harness.output, harness.diagnostics)
    }

    private func against(
        answers: Int, _ answer: String, hears: Int, _ words: [String] = []
    ) async throws -> (code: Int32, output: String, diagnostics: String) {
        try await LocalServer.with({ request, reply in
            guard request.header("authorization") == "Bearer \(Self.key)" else { return try await reply.send(401, "{}") }
            if request.path == "/v1/audio/transcriptions" { return try await reply.send(hears, "{\"text\":\"\"}") }
            try await reply.send(answers, answer, type: answers == 200 ? "text/event-stream" : "application/json")
        }) { url in try await check(["--base-url", url, "--model", "llama"] + words) }
    }

    private static func stream(_ text: String) -> String {
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\(text)\"},\"finish_reason\":null}]}\n\n"
            + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
    }

    @Test func bothPartsAreProved() async throws {
        let run = try await against(answers: 200, Self.stream("ready"), hears: 200)
        #expect(run.code == 0 && run.output.contains("PASS  llama at 127.0.0.1"), "\(run)")
        let document = try await against(answers: 200, Self.stream("ready"), hears: 200, ["--json"])
        let json = try ToolBench.json(document.output)
        #expect(json["schema"] as? String == "noafw.chat-check/1" && json["verdict"] as? String == "pass")
        #expect((json["checks"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["answer", "speech"])
    }

    @Test(arguments: [(404, "", 200, "AST-"), (200, "", 200, "AST-"), (200, "", 404, "AST-")])
    func whatDoesNotWorkFails(answers: Int, text: String, hears: Int, code: String) async throws {
        let stream = Self.stream(hears == 404 ? "ready" : "")
        let answer = answers == 200 ? stream : "{\"error\":{\"message\":\"no\"}}"
        let run = try await against(answers: answers, answer, hears: hears, ["--json"])
        let json = try ToolBench.json(run.output)
        #expect(run.code != 0 && json["verdict"] as? String == "fail" && run.diagnostics.contains(code), "\(run)")
        #expect((json["checks"] as? [Any])?.count == 2, "one failure does not hide the other part")
        #expect(!run.output.contains(Self.key.prefix(12)) && !run.diagnostics.contains(Self.key.prefix(12)))
    }

    /// The echo proves nothing.
    @Test func withoutAServerNothingIsProved() async throws {
        let harness = Harness()
        let context = harness.context(["chat", "--check", "--json"], environment: ["HOME": "/home/op"])
        #expect(await Noafw.execute(in: context) == 66)
        #expect(try ToolBench.json(harness.output)["verdict"] as? String == "fail")
    }

    @Test(arguments: [["--query", "a"], ["--virtual", "monocle"], ["--nearest"], ["--bundle", "a.zip"], ["--transcript", "t"]])
    func itUsesNoUnit(words: [String]) async throws { #expect(try await check(words).code == 64) }
}
