import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import noafw

@Suite struct ShortCommandTests {
    private func run(_ words: [String], within patience: Duration = .seconds(20), limit: Int = 4096) async throws -> String {
        try await ShortCommand.run(words, path: "/usr/bin:/bin", clock: .continuous, within: patience, limit: limit)
    }

    @Test func whatItPrintsIsTheAnswer() async throws {
        #expect(try await run(["echo", "two words", "$HOME"]) == "two words $HOME\n")
        #expect(try await run(["sh", "-c", "echo heard; echo unheard >&2"]) == "heard\n")
        #expect(try await run(["printf", "%0100d", "7"], limit: 10) == "0000000000")
    }

    @Test func itSeesTheSearchPathAlone() async throws {
        let variables = try await run(["env"]).split(separator: "\n").map { $0.prefix { $0 != "=" } }
        #expect(variables == ["PATH"])
        #expect(try await run(["cat"]).isEmpty, "nothing to read")
        #expect(try await run(["ls", "/proc/self/fd"]) == "0\n1\n2\n3\n", "the last is the folder that ls reads")
    }

    @Test(arguments: [["false"], ["sh", "-c", "kill -9 $$"], ["there-is-no-such-program"]])
    func aFailureIsNoAnswer(words: [String]) async {
        await #expect(throws: ShortCommand.Failed.self) { try await run(words) }
    }

    @Test func oneThatDoesNotEndIsEnded() async throws {
        let folder = try TemporaryFolder()
        await #expect(throws: ShortCommand.Failed.self) {
            try await run(["sh", "-c", "echo $$ > \(folder.path("process")); exec sleep 1000"], within: .seconds(1))
        }
        let process = try #require(Int32(String(decoding: try folder.read("process"), as: UTF8.self).dropLast()))
        #expect(kill(process, 0) == -1 && errno == ESRCH, "it is ended and reaped")
    }
}
