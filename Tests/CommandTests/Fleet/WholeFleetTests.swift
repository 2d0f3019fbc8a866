import Foundation
import Glibc
import TestSupport
import Testing

/// Fleets and lines of virtual units, as an operator runs them.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
final class WholeFleetTests {
    private let bench: ToolBench

    init() throws { bench = try ToolBench() }

    deinit { bench.remove() }

    private static func units(_ output: String) throws -> [[String: Any]] {
        try #require(try ToolBench.json(output)["units"] as? [[String: Any]])
    }

    @Test func severalUnitsAreFlashedAndProvedEachForItself() throws {
        let fleet = ["--virtual", "monocle", "--virtual", "frame", "--count", "2", "--virtual-speed", "max"]
        let first = try bench.run(["flash"] + fleet + ["--json", "--only", "scripts", "--order", "WO-7"])
        #expect(first.status == 0, "\(first.errors)")
        #expect(try Self.units(first.output).map { $0["id"] as? String } == ["monocle", "monocle:2", "frame", "frame:2"])

        // One bad unit fails alone.
        let main = bench.state.appendingPathComponent("virtual/monocle/2/files/main.py")
        try #require(FileManager.default.fileExists(atPath: main.path), "\(main.path)")
        var bytes = try Data(contentsOf: main)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: main)
        let junit = bench.state.appendingPathComponent("out.xml").path
        let proof = try bench.run(["verify"] + fleet + ["--json", "--deep", "--only", "scripts", "--junit", junit])
        #expect(proof.status == 1, "\(proof.errors)")
        #expect(try Self.units(proof.output).map { $0["outcome"] as? String } == ["pass", "fail", "pass", "pass"])
        #expect(try String(contentsOfFile: junit, encoding: .utf8).contains("failures=\"1\" errors=\"0\""))

        let records = try bench.run(["ledger", "export", "--json"])
        let runs = try #require(try ToolBench.json(records.output)["runs"] as? [[String: Any]])
        #expect(runs.count == 8 && Set(runs.compactMap { $0["unit_address"] as? String }).count == 4)
        #expect(
            runs.filter { $0["verb"] as? String == "flash" }.allSatisfy {
                $0["work_order"] as? String == "WO-7" && $0["outcome"] as? String == "pass"
            })
        let plans = runs.filter { $0["verb"] as? String == "flash" }.compactMap {
            ($0["plan"] as? [String: Any])?["rollout"] as? [String: Any]
        }
        #expect(plans.count == 4 && plans.allSatisfy { $0["seed"] is Int && $0["units"] as? Int == 4 }, "\(plans)")
    }

    @Test func oneSignalFinishesWhatRuns() throws {
        let tool = try bench.start([
            "flash", "--virtual", "monocle", "--count", "3", "--virtual-speed", "10", "--only", "scripts", "--jobs", "1", "--canary", "0",
            "--json"
        ])
        #expect(tool.waitForLine { $0.contains("starts on") })
        tool.signal(SIGINT)
        let words = tool.remainingErrors()
        #expect(tool.wait() == 130, "\(words)")
        let units = try Self.units(tool.output())
        #expect(units.compactMap { $0["outcome"] as? String }.sorted() == ["not_started", "not_started", "pass"], "\(words)")
        #expect(words.components(separatedBy: "NOT STARTED").count == 3, "each stands in the table, and nowhere else: \(words)")
    }

    /// What is shown of a unit is what its record says.
    @Test(arguments: [["--count", "2", "--jobs", "2"], ["--watch"]]) func theSecondSignalEndsWhatRuns(units: [String]) throws {
        let tool = try bench.start(["flash", "--virtual", "monocle", "--virtual-speed", "1", "--only", "scripts", "--json"] + units)
        #expect(tool.waitForLine { $0.contains("scripts") })
        tool.signal(SIGINT)
        #expect(tool.waitForLine { $0.contains("no more units") })
        tool.signal(SIGINT)
        let words = tool.remainingErrors()
        #expect(tool.wait() == 130, "\(words)")
        let output = try tool.output()
        #expect(!(words + output).contains("PRV-0130"), "\(words)")
        let told = try Self.units(output).compactMap { ($0["error"] as? [String: Any])?["code"] as? String }
        let runs = try #require(try ToolBench.json(try bench.run(["ledger", "export", "--json"]).output)["runs"] as? [[String: Any]])
        #expect(
            !told.isEmpty && Set(told) == ["NOA-0003"] && Set(runs.compactMap { $0["code"] as? String }) == ["NOA-0003"], "\(told) \(runs)")
    }

    @Test func oneDamagedFolderIsOneUnitsFault() throws {
        let fleet = ["--virtual", "monocle", "--count", "3", "--virtual-speed", "max", "--only", "scripts", "--json"]
        let first = try bench.run(["flash"] + fleet)
        #expect(first.status == 0, "\(first.errors)")
        try Data("{".utf8).write(to: bench.state.appendingPathComponent("virtual/monocle/2/unit.json"))
        let again = try bench.run(["verify"] + fleet)
        #expect(again.status == 74, "\(again.errors)")
        let units = try Self.units(again.output)
        #expect(units.map { $0["outcome"] as? String } == ["pass", "error", "pass"], "\(again.errors)")
        #expect((units[1]["error"] as? [String: Any])?["code"] as? String == "VIR-0001", "\(units[1])")
    }

    /// And one that another process has.
    @Test func whatCannotBePutOnALineCostsOnlyItself() throws {
        let line = ["flash", "--watch", "--virtual", "monocle", "--count", "4", "--virtual-speed", "max", "--only", "scripts", "--json"]
        let first = try bench.run(line)
        #expect(first.status == 0, "\(first.errors)")
        try Data("{".utf8).write(to: bench.state.appendingPathComponent("virtual/monocle/2/unit.json"))
        let held = open(bench.state.appendingPathComponent("virtual/monocle/4/unit.lock").path, O_RDWR)
        try #require(held >= 0 && flock(held, LOCK_EX | LOCK_NB) == 0)
        defer { close(held) }
        let again = try bench.run(line)
        #expect(again.status == 74, "\(again.errors)")
        let units = try Self.units(again.output)
        let outcomes = Dictionary(uniqueKeysWithValues: units.map { ($0["id"] as? String ?? "", $0["outcome"] as? String) })
        #expect(outcomes.count == 4 && outcomes["monocle:2"] == "error" && outcomes["monocle:4"] == "in_use", "\(outcomes) \(again.errors)")
        #expect(outcomes.values.count { $0 == "pass" } == 2 && again.errors.contains("VIR-0001"), "\(outcomes) \(again.errors)")
    }

    @Test func aLineTakesOneUnitAfterAnother() throws {
        let run = try bench.run([
            "flash", "--watch", "--virtual", "monocle", "--virtual", "frame", "--count", "2", "--virtual-speed", "max", "--only", "scripts",
            "--json"
        ])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try Self.units(run.output).map { $0["family"] as? String } == ["monocle", "monocle", "frame", "frame"])
        #expect(run.errors.contains("shift: 4 runs, 4 passed, 0 failed; first-pass yield 100 % of 4"))
    }

    @Test func aScannerNumbersTheUnits() throws {
        let terminal = try TerminalTool(
            [
                "flash", "--watch", "--serial", "ask", "--serial-pattern", "SN[0-9]", "--virtual", "monocle", "--count", "3",
                "--virtual-speed", "max", "--only", "scripts"
            ],
            environment: bench.environment())
        try terminal.waitFor("scan the unit's serial number")
        terminal.type("\r")
        try terminal.waitFor("NOA-0051")
        terminal.type("SN1\r")
        try terminal.waitFor("serial SN1")
        try terminal.waitFor("PASS ✔")
        terminal.type("SN1\r")
        try terminal.waitFor("NOA-0055")
        terminal.type("SN2\r\n")
        try terminal.waitFor("2 passed")
        terminal.type("\u{3}")
        #expect(terminal.wait().status == 0)
        #expect(terminal.localModes & UInt32(ECHO) != 0, "the terminal is as it was")
        let records = try bench.run(["ledger", "export", "--json"])
        let runs = try #require(try ToolBench.json(records.output)["runs"] as? [[String: Any]])
        #expect(runs.map { $0["serial"] as? String } == ["SN1", "SN2"])

        // The ledger has that number for another unit.
        let next = try TerminalTool(
            ["flash", "--watch", "--serial", "ask", "--virtual", "frame", "--virtual-speed", "max", "--only", "scripts"],
            environment: bench.environment())
        try next.waitFor("scan the unit's serial number")
        next.type("SN1\r")
        try next.waitFor("NOA-0056")
        next.type("\u{3}")
        #expect(next.wait().status == 69)
    }
}
