import Bluetooth
import Foundation
import Ledger
import Provisioning
import Support
import TestSupport
import Testing

@testable import noafw

/// What a fleet's run shows, says at its end, and exits with.
@Suite struct FleetSessionTests {
    typealias Entry = FleetEntry<UnitReport>
    private let harness = Harness()

    private func run(
        _ entries: [Entry], stop: Diagnosis? = nil, _ arguments: [String] = [], isTerminal: Bool = false, columns: Int = 80,
        environment: [String: String] = ["HOME": "/", "NO_COLOR": "1"]
    ) async -> Int32 {
        let services = FakeServices(onFlashFleet: { _, _ in FleetReport(entries: entries, stop: stop) })
        return await Noafw.execute(
            in: harness.context(
                ["flash", "--all"] + arguments, services: services, environment: environment, isTerminal: isTerminal, columns: columns))
    }

    @Test func theExitCodeFollowsTheContract() async throws {
        let pass = try FleetSample.flashed(1)
        let fail = try FleetSample.flashed(2, error: FleetSample.failed)
        let lost: Entry = try FleetSample.flashed(3, error: FleetSample.radio)
        let away: Entry = FleetSample.entry(9, .notReached(FleetSample.away))
        let bad: Entry = FleetSample.entry(5, .failed(FleetSample.badFile))
        let other: Entry = FleetSample.entry(6, .skipped(FleetSample.badFile))
        #expect(await run([pass]) == 0)
        #expect(await run([pass, other]) == 0, "nobody asked for that one")
        #expect(await run([pass, fail, away, bad]) == 1)
        #expect(await run([pass, lost]) == 75)
        #expect(await run([pass, away]) == 75)
        #expect(await run([away, bad]) == 65)
        #expect(await run([other]) == 75, "nothing was proved")
        #expect(await run([]) == 69)
        let taken = ClaimError.taken(unit: "C0:00:00:00:00:08", station: "line-2", until: UTCTime(microseconds: 0)).diagnosis
        #expect(await run([pass, FleetSample.entry(8, .inUse(taken))]) == 75, "the same command goes on later")
        #expect(
            harness.output.contains("IN USE -") && harness.output.contains("2 units: 1 passed, 1 in use elsewhere"), "\(harness.output)")
        let stop = RolloutStop.repeated(code: "DFU-0B05", count: 2).diagnosis
        #expect(await run([fail, FleetSample.entry(7, .notStarted(FleetSample.waiting))], stop: stop) == 1)
        #expect(await run([pass], stop: stop) == 75, "not everybody had a turn")
    }

    /// The README's table is what a fleet does with each kind of error, alone and beside another one.
    @Test func theExitCodesAreTheDocumentedOnes() throws {
        let page = try String(contentsOf: TestTools.root.appendingPathComponent("docs/commands/flash.md"), encoding: .utf8)
        let table = try #require(page.split(separator: "| exit code | of several units |\n| --- | --- |\n").last?.prefix { $0 != "#" })
        let rows = table.split(separator: "\n").prefix { $0.hasPrefix("|") }.map { row in
            row.split(separator: "|")[0].split(separator: ",").compactMap { Int32($0.trimmingCharacters(in: .whitespaces)) }
        }
        func code(_ entries: [Entry], isInterrupted: Bool = false) -> Int32 {
            FleetReport(entries: entries).exitCode(isInterrupted: isInterrupted)
        }
        func entry(_ category: Diagnosis.Category) -> Entry {
            FleetSample.entry(
                2, UnitResult(Diagnosis("X", category, category == .unitFailed ? .unit : nil, "", cause: "", remedy: "")))
        }
        let pass = try FleetSample.flashed(1)
        let away: Entry = FleetSample.entry(9, .notReached(FleetSample.away))
        try #require(rows == [[0], [130], [1], [69], [64, 65, 66, 74, 77], [75]])
        #expect(code([pass]) == 0 && code([]) == 69 && code([pass], isInterrupted: true) == 0 && code([away], isInterrupted: true) == 130)
        for category in (0...130).compactMap(Diagnosis.Category.init(rawValue:)) {
            let own = category.rawValue
            let expected = rows[4].contains(own) || [1, 130].contains(own) ? own : 75
            #expect(code([pass, away, entry(category)]) == expected, "\(category)")
            #expect(code([entry(category), entry(.unitFailed)]) == (own == 130 ? 130 : 1), "\(category)")
            #expect(code([entry(.badData), entry(category)]) == ([1, 130].contains(own) ? own : 65), "\(category): the first one counts")
        }
    }

    /// Nothing was done to it: its document and the counts say the same.
    @Test func aUnitThatIsInUseHasNoVerdict() async throws {
        let taken = LinkError.busy("C0:00:00:00:00:08").diagnosis
        let usage = CommandError.noSuchPart([.fpga], family: "frame", has: [.firmware]).diagnosis
        let entries: [Entry] = [
            try FleetSample.flashed(1), try FleetSample.flashed(2, error: FleetSample.failed), FleetSample.entry(8, .inUse(taken)),
            FleetSample.entry(7, .skipped(usage)), FleetSample.entry(9, .notReached(FleetSample.away)),
            FleetSample.entry(6, .notStarted(FleetSample.waiting))
        ]
        _ = await run(entries, ["--json"])
        let document = try ToolBench.json(harness.output)
        let verdicts = try #require(document["units"] as? [[String: Any]]).map { $0["verdict"] as? String }
        #expect(verdicts == ["pass", "fail", nil, nil, nil, nil])
        #expect(((document["fleet"] as? [String: Any])?["counts"] as? [String: Int])?["fail"] == 1)
        #expect(await run([FleetSample.entry(7, .skipped(usage))]) == 64, "nobody has that part")
    }

    /// It neither frees the others from waiting for a first one nor counts among those that did well.
    @Test func aUnitThatHadNothingToDoProvesNoBundle() throws {
        func result(_ actions: [StepReport.Action], _ error: Diagnosis? = nil) throws -> UnitResult {
            let steps = actions.map { StepReport(component: .scripts, action: $0, from: "v1", to: "v2") }
            return try Sample.flashed(error: error, steps: steps).result
        }
        #expect(try result([.current, .skipped]) == .wasCurrent && result([]) == .wasCurrent)
        #expect(try result([.current, .updated]) == .passed)
        #expect(try result([.current], FleetSample.failed) == .failed(FleetSample.failed))
    }

    @Test func anEmptyFleetIsAnError() async {
        let services = FakeServices(onFlashFleet: { _, _ in throw UnitSelectionError.none })
        #expect(await Noafw.execute(in: harness.context(["flash", "--all", "--json"], services: services)) == 69)
        #expect(harness.output.hasPrefix("{\"schema\":\"noafw.flash/1\",\"verdict\":\"fail\",\"units\":[],\"fleet\":{\"units\":0,"))
        #expect(harness.diagnostics.contains("error PRV-0020") && harness.diagnostics.contains("NOT STARTED -  no unit was touched"))
    }

    @Test func theTableStays() async throws {
        let entries = [
            try FleetSample.flashed(1), try FleetSample.flashed(2, error: FleetSample.failed),
            FleetSample.entry(9, .notReached(FleetSample.away)),
        ]
        #expect(await run(entries, environment: ["HOME": "/", "LANG": "C"]) == 1)
        #expect(harness.output == """
            unit               family   verdict        code      seconds
            C0:00:00:00:00:01  monocle  PASS +         -            51.3
            C0:00:00:00:00:02  monocle  FAIL x         DFU-0B05     51.3
            C0:00:00:00:00:09  monocle  NOT REACHED ?  FLT-0001        -

            DFU-0B05, 1 unit: the bootloader says \\u{1b}[2Jno
              next:  give a newer package
            FLT-0001, 1 unit: C0:00:00:00:00:09 was not heard within 15 s of listening
              next:  wake the unit, take it off the charger, close the phone app, and run the command again

            FAIL x  3 units: 1 passed, 1 failed, 1 not reached (0.0 s)

            """)
    }

    @Test(arguments: [80, 60, 46, 40, 24, 10]) func theTableFitsTheTerminal(columns: Int) async throws {
        let entries = [try FleetSample.flashed(1), FleetSample.entry(9, .notReached(FleetSample.away))]
        #expect(await run(entries, isTerminal: true, columns: columns) == 75)
        let table = harness.output.split(separator: "\n").prefix(3)
        #expect(columns < 24 || table.allSatisfy { DisplayWidth.columns($0) < columns }, "\(table)")
        #expect(table.last?.contains("NOT REACHED ?") == true, "the verdict is what stays: \(table)")
        #expect(table.last?.contains(":09") == true, "units are told apart: \(table)")
    }

    @Test func theDocumentHasAllUnits() async throws {
        let entries = [try FleetSample.flashed(1), FleetSample.entry(9, .notReached(FleetSample.away))]
        #expect(await run(entries, ["--json", "--seed", "77"]) == 75)
        #expect(harness.output.filter { $0 == "\n" }.count == 1)
        let document = try ToolBench.json(harness.output)
        #expect(document["schema"] as? String == "noafw.flash/1" && document["verdict"] as? String == "fail")
        let units = try #require(document["units"] as? [[String: Any]])
        #expect(units.map { $0["address"] as? String } == ["C0:00:00:00:00:01", "C0:00:00:00:00:09"])
        #expect(units.map { $0["outcome"] as? String } == ["pass", "not_reached"])
        #expect((units[0]["steps"] as? [Any])?.count == 3 && (units[1]["error"] as? [String: Any])?["code"] as? String == "FLT-0001")
        let fleet = try #require(document["fleet"] as? [String: Any])
        #expect(fleet["seed"] as? Int == 77 && (fleet["counts"] as? [String: Int])?["not_reached"] == 1)
    }

    private static func play(_ events: (RunEvent) -> Void, _ time: ManualTime) {
        let (one, two) = (FleetSample.unit(1), FleetSample.unit(2))
        events(RunEvent(unit: nil, content: .units(2)))
        for unit in [one, two] {
            events(RunEvent(unit: unit, content: .started(adapter: "hci0")))
            events(RunEvent(unit: unit, content: .stage(.fpga)))
        }
        for step in 0...4 {
            events(
                RunEvent(
                    unit: one, content: .progress(stage: .fpga, overall: Double(step) * 0.1, bytesDone: step * 20_000, bytesTotal: 444_430))
            )
            time.advance(.seconds(1))
        }
        events(RunEvent(unit: two, content: .notice("the link \u{202E}slowed down")))
        events(RunEvent(unit: one, content: .ended(.passed, seconds: 51.3)))
        events(RunEvent(unit: two, content: .ended(.failed(FleetSample.failed), seconds: 3)))
    }

    private func services() -> FakeServices {
        let time = harness.time
        return FakeServices(onFlashFleet: { _, events in
            Self.play(events, time)
            return FleetReport(entries: [try FleetSample.flashed(1), try FleetSample.flashed(2, error: FleetSample.failed)])
        })
    }

    @Test func pipedLinesBeginWithTheUnit() async {
        #expect(await Noafw.execute(in: harness.context(["flash", "--all"], services: services())) == 1)
        #expect(harness.diagnostics == """
            2 units
            C0:00:00:00:00:01  starts on hci0
            C0:00:00:00:00:01  fpga
            C0:00:00:00:00:02  starts on hci0
            C0:00:00:00:00:02  fpga
            C0:00:00:00:00:01  fpga 10 %  20.0 kB/s  0:09 left
            C0:00:00:00:00:01  fpga 20 %  20.0 kB/s  0:08 left
            C0:00:00:00:00:01  fpga 30 %  20.0 kB/s  0:07 left
            C0:00:00:00:00:01  fpga 40 %  20.0 kB/s  0:06 left
            C0:00:00:00:00:02  note: the link \\u{202e}slowed down
            PASS ✔  C0:00:00:00:00:01  51.3 s
            FAIL ✘  C0:00:00:00:00:02  3.0 s  DFU-0B05 the bootloader says \\u{1b}[2Jno

            """)
    }

    @Test(arguments: [80, 40, 30]) func eachUnitHasItsBar(columns: Int) async throws {
        let context = harness.context(
            ["flash", "--all"], services: services(), environment: ["HOME": "/", "NO_COLOR": "1"], isTerminal: true, columns: columns)
        #expect(await Noafw.execute(in: context) == 1)
        let frames = harness.diagnostics.components(separatedBy: "\u{1B}[J")
        let bars = try #require(frames.last { $0.contains("40 %") }, "\(harness.diagnostics.debugDescription)")
            .replacing(/\r|\u{1B}\[[0-9]*A/, with: "").split(separator: "\n")
        #expect(bars.count == 3 && bars.allSatisfy { DisplayWidth.columns($0) < columns }, "\(bars)")
        #expect(bars[0].hasPrefix(columns == 30 ? "00:00:00:01" : "C0:00:00:00:00:01") && bars[2].hasPrefix("0 of 2 done"), "\(bars)")
        #expect(columns < 80 || bars[0].contains("[=="))
    }

    @Test func aDumbTerminalGetsLines() async {
        let context = harness.context(
            ["flash", "--all"], services: services(), environment: ["HOME": "/", "TERM": "dumb"], isTerminal: true)
        #expect(await Noafw.execute(in: context) == 1)
        #expect(!harness.diagnostics.contains("\u{1B}") && harness.diagnostics.contains("C0:00:00:00:00:01  fpga 10 %"))
    }

    @Test func eventsNameTheirUnit() async throws {
        #expect(await Noafw.execute(in: harness.context(["flash", "--all", "--events", "-"], services: services())) == 1)
        let lines = try harness.output.split(separator: "\n").map { try ToolBench.json(String($0)) }
        #expect(lines.map { $0["event"] as? String }.prefix(3) == ["fleet", "started", "stage"])
        let units = lines.dropFirst().dropLast().map { $0["unit"] as? String }
        #expect(units.allSatisfy { $0?.hasPrefix("C0:00:00:00:00:0") == true })
        let ended = lines.filter { $0["event"] as? String == "ended" }
        #expect(ended.map { $0["verdict"] as? String } == ["pass", "fail"])
        #expect(lines.last?["event"] as? String == "result")
    }

    @Test func theFirstSignalDrainsAndAllUnitsAreReported() async throws {
        let interrupts = harness.interrupts
        let services = FakeServices(onFlashFleet: { request, _ in
            interrupts.ask()
            #expect(request.drain.isAsked, "it is told at once, and not cancelled")
            #expect(!Task.isCancelled)
            return FleetReport(entries: [try FleetSample.flashed(1), FleetSample.entry(2, .notStarted(FleetSample.waiting))])
        })
        #expect(await Noafw.execute(in: harness.context(["flash", "--all"], services: services)) == 130)
        #expect(harness.diagnostics.contains("note: no more units are started; press Ctrl-C again"))
        #expect(harness.output.contains("INTERRUPTED -  2 units: 1 passed, 1 not started"))
    }

    @Test func theSecondSignalEndsTheRunningOnes() async throws {
        let (interrupts, clock) = (harness.interrupts, harness.time.clock)
        let services = FakeServices(onFlashFleet: { _, events in
            events(RunEvent(unit: FleetSample.unit(1), content: .ended(.passed, seconds: 1)))
            events(RunEvent(unit: FleetSample.unit(2), content: .started(adapter: "hci0")))
            interrupts.ask()
            interrupts.ask()
            try await clock.sleep(until: clock.deadline(in: .seconds(60)))
            return FleetReport(entries: [])
        })
        #expect(await Noafw.execute(in: harness.context(["flash", "--all", "--json"], services: services)) == 130)
        let units = try #require(try ToolBench.json(harness.output)["units"] as? [[String: Any]])
        #expect(units.map { $0["outcome"] as? String } == ["pass", "interrupted"])
        #expect((units.last?["error"] as? [String: String])?["code"] == "NOA-0003", "as in its record")
    }

    /// The other one had no turn.
    @Test func theLastWordsOfARunWhoseUnitsHavePassedAreNoPass() async throws {
        let interrupts = harness.interrupts
        let services = FakeServices(onFlashFleet: { _, events in
            events(RunEvent(unit: nil, content: .units(2)))
            events(RunEvent(unit: FleetSample.unit(1), content: .ended(.passed, seconds: 1)))
            interrupts.exitReport.give()
            return FleetReport(entries: [])
        })
        _ = await Noafw.execute(in: harness.context(["flash", "--all", "--json"], services: services))
        let document = try ToolBench.json(harness.output)
        #expect(document["verdict"] as? String == "fail" && (document["units"] as? [Any])?.count == 1)
        #expect(harness.diagnostics.contains("INTERRUPTED"), "\(harness.diagnostics)")
    }

    @Test func theLastWordsOfARunThatDoesNotEndNameItsUnits() async throws {
        let (harness, interrupts) = (harness, harness.interrupts)
        let services = FakeServices(onFlashFleet: { _, events in
            events(RunEvent(unit: FleetSample.unit(2), content: .started(adapter: "hci0")))
            interrupts.exitReport.give()
            return FleetReport(entries: [])
        })
        _ = await Noafw.execute(in: harness.context(["flash", "--all"], services: services))
        #expect(harness.output.components(separatedBy: "C0:00:00:00:00:02").count == 2 && harness.output.contains("INTERRUPTED -  1 unit"))
    }
}
