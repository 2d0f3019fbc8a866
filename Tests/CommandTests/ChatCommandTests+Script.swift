import Assistant
import Bluetooth
import Foundation
import Provisioning
import Support
import Testing
import VirtualDevices

@testable import noafw

// Scripts: one step a line.
extension ChatCommandTests {
    /// The limit of an expectation holds whatever the expression is.
    @Test func anExpressionThatWouldNeverEndDoes() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = folder.appendingPathComponent("a.txt")
        try Data("send \(String(repeating: "a", count: 200))!\nexpect ^(a+)+$ within 2s\n".utf8).write(to: script)
        let answering = services { id, text in [.asked(id, .typed(text)), .answered(id, text, nil), .delivered(id)] }
        #expect(await run(["--virtual", "monocle", "--script", script.path], answering) == 1)
        #expect(harness.diagnostics.contains("error NOA-0010: line 2: nothing matched ^(a+)+$ within 2 s"))
    }

    @Test func scriptDoesAndExpects() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = try write("""
            send hello
            expect ^I heard: hel+o$ within 600s
            tap B
            """)
        let hands = Inbox<String>()
        #expect(
            await run(["--virtual", "monocle", "--script", script], services(hands: hands, answer: Self.echo)) == 0,
            "\(harness.diagnostics)")
        #expect(hands.poll() == "tap(VirtualDevices.UserInput.Pad.B)")
    }

    /// What the unit's program prints is no part of the conversation.
    @Test func aPrintedLineMeetsNoExpectation() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = try write("send hello\nexpect printed within 60s\n")
        let printing = services { id, text in ConsoleSample.events("printed\r\n") + Self.echo(id, text) }
        #expect(await run(["--virtual", "monocle", "--script", script], printing) == 1)
        #expect(harness.diagnostics.contains("error NOA-0010: line 2: nothing matched printed within 60 s"))
        #expect(!harness.diagnostics.contains("seen: \"printed\""))
    }

    @Test func anExpectationThatIsNotMetSaysWhatWasSeen() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = try write("# 1\nsend hello\nexpect good morning within 60s\nsend never\n")
        #expect(await run(["--virtual", "monocle", "--script", script], services(answer: Self.echo)) == 1)
        #expect(harness.diagnostics.contains("error NOA-0010: line 3: nothing matched good morning within 60 s"))
        #expect(harness.diagnostics.contains("\"I heard: hello\""))
        #expect(!harness.output.contains("never"))
    }

    @Test func aFaultyScriptTouchesNoUnit() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = try write("send hello\ntap\n")
        #expect(await run(["--device", "D3:5A:00:11:22:33", "--script", script], FakeServices()) == 65)
        #expect(harness.diagnostics.contains("line 2: 'tap' needs a virtual unit"))
    }

    /// Such as another maker's for a Frame, which never tells its version.
    @Test(arguments: [true, false]) func aProgramThatNeverReportsReadyIsNoCrowdedAir(isLost: Bool) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = try write("send hello\n")
        let silent = FakeServices(onChat: { _, body in
            let time = VirtualTime.simulated()
            return try await time.run {
                try await body(ChatEnvironment(clock: time.clock, family: "frame") { _, report in
                    report(.connected(UnitStatus()))
                    report(isLost ? .lost(reason: "gone") : .silent)
                    try await time.clock.sleep(until: time.clock.deadline(in: .seconds(10_000_000)))
                })
            }
        })
        let code = await run(["--no-verify", "--device", "D3:5A:00:11:22:33", "--script", script], silent)
        #expect(code == (isLost ? 75 : 1))
        #expect(harness.diagnostics.contains(isLost ? "error NOA-0017" : "error NOA-0018"), "\(harness.diagnostics)")
    }

    func write(_ script: String) throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("smoke.txt")
        try Data(script.utf8).write(to: file)
        return file.path
    }
}
