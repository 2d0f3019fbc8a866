import Bluetooth
import Foundation
import Provisioning
import Support
import TestSupport
import Testing

@testable import noafw

/// `--json` is answered by one document, however a command ends.
@Suite struct JSONEndTests {
    private let harness = Harness()

    @Test(arguments: [
        ["flash", "--virtual", "monocle", "--only", "bootloader"], ["verify", "--virtual", "monocle", "surplus"],
        ["scan", "--seconds", "0"],
        ["rescue", "--device", "x"], ["doctor", "--adapter", "../x"], ["chat", "--query", ""], ["bundle"], ["bundle", "show"],
        ["bundle", ".", "-o", "x", "--check", "y"], ["package", "create"], ["package", "inspect"], ["package", "verify"],
        ["assets", "add"], ["assets", "list", "x"], ["assets", "check", "x"], ["flsh"], ["console"], ["bundle", "key", "new"],
        ["package", "key", "show"],
    ])
    func usageErrorsAreDocuments(arguments: [String]) async throws {
        #expect(await Noafw.execute(in: harness.context(arguments + ["--json"])) == 64)
        let document = try ToolBench.json(harness.output)
        #expect(document["schema"] as? String == "noafw.error/1" && harness.output.filter { $0 == "\n" }.count == 1)
        let error = try #require(document["error"] as? [String: Any])
        #expect(error["code"] as? String == "NOA-0064" && !((error["message"] as? String)?.isEmpty ?? true))
        #expect(harness.diagnostics.hasPrefix("Error: "))
    }

    @Test(arguments: [["verify", "--virtual", "monocle", "--json=yes"], ["ledger", "list", "--json=1"]])
    func aFlagWithAValueAsksForADocumentToo(arguments: [String]) async throws {
        #expect(await Noafw.execute(in: harness.context(arguments)) == 64)
        #expect(try ToolBench.json(harness.output)["schema"] as? String == "noafw.error/1")
    }

    @Test(arguments: ["/dev/full", "none/runs.json"]) func anExportThatIsNotWritten(place: String) async throws {
        let folder = try TemporaryFolder()
        let environment = ["NOAFW_STATE_DIR": folder.path("state")]
        let context = harness.context(["ledger", "export", "--json", "-o", place], environment: environment, folder: folder.path)
        #expect(await Noafw.execute(in: context) == 74, "\(harness.diagnostics)")
        let document = try ToolBench.json(harness.output)
        #expect((document["error"] as? [String: Any])?["code"] as? String == "NOA-0008")
    }

    @Test func aValueAndWhatFollowsTheTerminatorAreNoWish() async {
        #expect(await Noafw.execute(in: harness.context(["verify", "--virtual", "monocle", "--", "--json"])) == 64)
        #expect(harness.output == "")
    }

    @Test func aScanWithoutABus() async throws {
        let services = FakeServices(onScan: { _, _ in throw CommandError.noStateFolder })
        #expect(await Noafw.execute(in: harness.context(["scan", "--json"], services: services)) == 66)
        let document = try ToolBench.json(harness.output)
        #expect(document["schema"] as? String == "noafw.scan/1" && (document["units"] as? [Any])?.isEmpty == true)
        #expect((document["error"] as? [String: Any])?["code"] as? String == "NOA-0001")
    }

    @Test(arguments: ["scan", "doctor"]) func aLookThatASignalEnds(verb: String) async throws {
        let interrupts = harness.interrupts
        let trouble = DoctorFacts.Finding(diagnosis: CommandError.noStateFolder.diagnosis)
        let services = FakeServices(
            onScan: { _, _ in
                interrupts.exitReport.give()
                return ScanReport(units: [], known: [])
            },
            onExamine: { _ in
                interrupts.exitReport.give()
                return DoctorFacts(bluetooth: .init(blockingError: trouble), state: .failure(trouble), catalogue: .failure(trouble))
            })
        _ = await Noafw.execute(in: harness.context([verb, "--json"], services: services))
        let document = try ToolBench.json(harness.output)
        #expect(document["schema"] as? String == "noafw.\(verb)/1")
        #expect((document["error"] as? [String: Any])?["code"] as? String == "NOA-0003")
    }

    /// It came before the verb began: from the program's first instruction on, signals are kept for it.
    @Test(arguments: [
        ["rescue"], ["flash", "--virtual", "monocle"], ["flash", "--all"], ["flash", "--watch"], ["verify", "--virtual", "monocle"],
        ["verify", "--all"]
    ])
    func aSignalBeforeTheBeginning(verb: [String]) async throws {
        @Sendable func wait<Value: Sendable>() async throws -> Value {
            let never: Value? = try await Inbox<Value>().next(before: SessionClock.continuous.deadline(in: .forever), on: .continuous)
            return try #require(never)
        }
        let services = FakeServices(
            onFlash: { _, _ in try await wait() }, onVerify: { _, _ in try await wait() }, onFlashFleet: { _, _ in try await wait() },
            onVerifyFleet: { _, _ in try await wait() }, onWatch: { _, _ in try await wait() }, onRescue: { _, _ in try await wait() })
        harness.interrupts.ask()
        #expect(await Noafw.execute(in: harness.context(verb + ["--json"], services: services)) == 130)
        #expect(try ToolBench.json(harness.output)["schema"] as? String == "noafw.\(verb[0])/1")
    }

    @Test func aChatThatDoesNotBegin() async throws {
        let arguments = ["chat", "--virtual", "monocle", "--assistant", "openai", "--query", "x", "--json"]
        #expect(await Noafw.execute(in: harness.context(arguments)) == 66)
        let document = try ToolBench.json(harness.output)
        #expect(document["event"] as? String == "end")
        #expect((document["error"] as? [String: Any])?["code"] as? String == "NOA-0011")
    }

    @Test func namesFromTheCommandLineAreEscaped() async {
        #expect(await Noafw.execute(in: harness.context(["flash", "--virtual", "a\u{1B}[2Jb", "--\u{1B}]0;x\u{7}"])) == 64)
        #expect(!harness.diagnostics.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }

    /// A command on files says what is there, then takes nothing back.
    @Test(arguments: [false, true]) func aBundleThatASignalEnds(isThere: Bool) async throws {
        let folder = try TemporaryFolder()
        try folder.write("a = 1\n", to: "src/main.py")
        try folder.write("", to: "src/notes.txt")
        if isThere { try folder.write("old", to: "out.zip") }
        var context = harness.context(["bundle", folder.path("src"), "-o", folder.path("out.zip"), "--no-check", "--json"])
        let (interrupts, diagnostics) = (context.interrupts, context.diagnostics)
        context.diagnostics.write = { text in
            diagnostics.write(text)
            if text.hasPrefix("note: left out") { interrupts.exitReport.give() }
        }
        _ = await Noafw.execute(in: context)
        let text = isThere ? "out.zip is as it was before" : "out.zip was not written"
        #expect(harness.diagnostics.contains("error NOA-0003: interrupted; \(folder.path)/\(text)\n"), "\(harness.diagnostics)")
        let document = try ToolBench.json(harness.output)
        #expect((document["error"] as? [String: Any])?["code"] as? String == "NOA-0003")
        #expect(try folder.names() == (isThere ? ["out.zip", "src"] : ["src"]))
        if isThere { #expect(try folder.read("out.zip") == Array("old".utf8)) }
    }
}
