import Foundation
import Glibc
import Ledger
import LedgerStore
import Support
import TestSupport
import Testing

/// Records of the built tool: whatever ends a run, it is in the ledger.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct WholeRecordTests {
    private static let flash = ["flash", "--virtual", "monocle", "--only", "scripts", "--virtual-speed", "max"]

    private func runs(_ bench: ToolBench) async throws -> [RunRecord] {
        try await SQLiteLedger(folder: bench.state.path + "/ledger").runs()
    }

    @Test func aRunIsRecordedWithAllThatIsKnownOfIt() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let flash = try bench.run(
            [
                "flash", "--virtual", "monocle", "--virtual-speed", "max", "--station", "line-7", "--operator", "anna", "--serial", "SN1",
                "--order", "WO 7",
                "--part", "P-1", "--batch", "B-9", "--fixture", "jig-2"])
        #expect(flash.status == 0, "\(flash.errors)")
        _ = try bench.run(["verify", "--virtual", "monocle", "--virtual-speed", "max"], environment: ["NOAFW_STATION": "line-7"])
        let runs = try await runs(bench)
        let run = try #require(runs.first)
        #expect(runs.map(\.verb) == ["flash", "verify"] && runs.map(\.station) == ["line-7", "line-7"] && runs.map(\.seq) == [1, 2])
        #expect(
            (run.operatorName, run.serial, run.workOrder, run.part, run.batch, run.fixture) == (
                "anna", "SN1", "WO 7", "P-1", "B-9", "jig-2"
            ))
        #expect(Set(run.digests.keys) == ["firmware", "fpga", "scripts"] && run.versionsAfter.count == 3 && run.versionsBefore.count == 2)
        #expect(run.plan != nil && run.battery == 80 && run.outcome == .pass)
        let sent = run.steps.filter { $0.bytes != nil }
        #expect(
            sent.map(\.name) == ["firmware", "fpga", "scripts"]
                && sent.allSatisfy { ($0.bytes ?? 0) > 10_000 && ($0.kilobytesPerSecond ?? 0) > 0 })
        #expect(runs[1].digests.isEmpty && runs[1].versionsAfter == run.versionsAfter)
    }

    /// The digests are those that an administrator computes with the machine's own tools.
    @Test func theDigestOfScriptsIsSha256sumsOwn() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        _ = try bench.run(Self.flash)
        let digest = try #require(try await runs(bench).first?.digests["scripts"])
        let folder = bench.unit.appendingPathComponent("files").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".py") }.sorted()
        let computed = try runProgram("/bin/sh", ["-c", "sha256sum \(names.joined(separator: " ")) | sha256sum"], folder: folder)
        #expect(computed.output.hasPrefix(digest), "\(computed.output)")
    }

    @Test func aDryRunAndARunWithoutAUnitLeaveNoRecord() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        _ = try bench.run(Self.flash + ["--dry-run"])
        _ = try bench.run(["flash", "--device", "C0:00:00:00:00:01"], environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"])
        #expect(!FileManager.default.fileExists(atPath: bench.state.path + "/ledger"))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func anInterruptedRunIsAborted(signal: Int32) async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let tool = try bench.start(["flash", "--virtual", "monocle", "--virtual-speed", "4", "--only", "firmware"])
        #expect(tool.waitForLine { $0.hasPrefix("firmware") })
        tool.signal(signal)
        _ = tool.remainingErrors()
        #expect(tool.wait() == 130)
        let run = try #require(try await runs(bench).first)
        #expect((run.outcome, run.blame, run.code) == (.aborted, .operator, "NOA-0003"))
        #expect(run.steps.last?.name == "firmware" && run.steps.last?.outcome == .aborted)
    }

    @Test func aRunOutOfTimeIsATimeout() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let run = try bench.run(["flash", "--virtual", "monocle", "--virtual-speed", "4", "--only", "firmware", "--timeout", "3"])
        #expect(run.status == 75)
        let record = try #require(try await runs(bench).first)
        #expect((record.outcome, record.code) == (.timeout, "NOA-0002"))
    }

    /// SIGKILL at any moment: the next run closes what is open, says so, and nothing that was recorded is lost.
    @Test func killedAtAnyMomentNothingIsLost() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        var random = SeededNumbers(seed: 15)
        var abandoned = 0
        for round in 0..<20 {
            let before = try await runs(bench)
            let tool = try bench.start([
                "flash", "--virtual", "monocle:\(round % 3)", "--only", "scripts", "--force", "--virtual-speed", "max"
            ])
            // As soon as it has said some words, or a moment later.
            for _ in 0..<Int.random(in: 0...5, using: &random) where tool.nextLine() == nil { break }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &random)))
            tool.signal(SIGKILL)
            let words = tool.remainingErrors()
            _ = tool.wait()
            let after = try await runs(bench)
            #expect(after.count - before.count <= 1 && Array(after.map(\.id).prefix(before.count)) == before.map(\.id), "round \(round)")
            // What this run found open it has closed, and said so.
            let openBefore = before.filter(\.isOpen)
            guard after.count > before.count, !openBefore.isEmpty else { continue }
            #expect(openBefore.allSatisfy { open in after.first { $0.id == open.id }?.code == "LED-0006" }, "round \(round)")
            if words.contains("note:") { #expect(words.contains("LED-0020"), "round \(round): \(words)") }
            abandoned += 1
        }
        let last = try bench.run(Self.flash)
        let runs = try await runs(bench)
        #expect(last.status == 0 && runs.allSatisfy { !$0.isOpen } && runs.last?.outcome == .pass, "\(last.errors)")
        #expect(runs.compactMap(\.seq).sorted() == Array(1...Int64(runs.count)))
        #expect(abandoned > 0 && runs.contains { $0.code == "LED-0006" }, "no kill came in the middle of a run")
        #expect(try bench.run(["ledger", "check"]).status == 0)
    }

    @Test func theNextRunSaysWhatItClosed() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let tool = try bench.start(["flash", "--virtual", "monocle", "--only", "scripts", "--virtual-speed", "4"])
        #expect(tool.waitForLine { $0.hasPrefix("scripts") && $0.contains("%") })
        tool.signal(SIGKILL)
        _ = tool.wait()
        let open = try #require(try await runs(bench).first)
        #expect(open.isOpen && open.plan != nil && !open.steps.isEmpty, "what was known by then is kept")
        let next = try bench.run(Self.flash + ["--events", bench.state.path + "/events.jsonl"])
        #expect(next.errors.contains("note: LED-0020: closed as aborted") && next.errors.contains("\(open.id)"), "\(next.errors)")
        #expect(try String(contentsOfFile: bench.state.path + "/events.jsonl", encoding: .utf8).contains("LED-0020"))
        #expect(!(try bench.run(Self.flash).errors.contains("LED-0020")))
    }

    /// A folder that cannot be written: the unit is not touched.
    @Test func withoutALedgerNothingIsStarted() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        _ = try bench.run(Self.flash)
        try FileManager.default.removeItem(at: bench.state.appendingPathComponent("ledger"))
        try Data().write(to: bench.state.appendingPathComponent("ledger"))
        let run = try bench.run(Self.flash + ["--force"])
        #expect(run.status == 74 && run.errors.contains("LED-0001"), "\(run.errors)")
        #expect(run.output.contains("no unit was touched") && !run.errors.contains("scripts"), "\(run.output)")
    }

    /// A limit on the size of files ends no run: it goes to the spool, or says why not.
    @Test func aLimitOnFilesIsNoCrash() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        _ = try bench.run(Self.flash)
        let words = ([ToolBench.tool.path] + Self.flash).joined(separator: " ")
        let run = try runProgram(
            "/bin/bash", ["-c", "ulimit -f 8; exec \(words) 2>&1"], environment: bench.environment(), folder: ToolBench.root.path)
        #expect(run.status == 74 || run.status == 0, "\(run.status): \(run.output)")
        #expect(run.output.contains("LED-00") || run.output.contains("PRV-00"), "\(run.output)")
    }

    @Test func aSerialNumberOfAnotherUnitIsRefused() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        #expect(try bench.run(Self.flash + ["--serial", "SN1"]).status == 0)
        let other = ["flash", "--virtual", "monocle:two", "--only", "scripts", "--virtual-speed", "max", "--serial", "SN1"]
        let refused = try bench.run(other)
        #expect(refused.status == 65 && refused.errors.contains("LED-0007"), "\(refused.errors)")
        #expect(try await runs(bench).count == 1)
        #expect(try bench.run(other + ["--rebind-serial"]).status == 0)
    }
}
