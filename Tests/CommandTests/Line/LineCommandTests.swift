import Bluetooth
import Foundation
import Ledger
import Provisioning
import Support
import TestSupport
import Testing

@testable import noafw

/// `flash --watch` as an operator meets it.
@Suite struct LineCommandTests {
    private let harness = Harness()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func course(_ events: LiveServices.Events, _ error: Diagnosis? = nil) throws -> FleetReport<UnitReport> {
        let entry = try FleetSample.flashed(1, error: error)
        events(place(.waiting))
        events(began(entry))
        events(ended(entry))
        return FleetReport(entries: [entry])
    }

    private static func place(_ place: PlaceEvent) -> RunEvent { RunEvent(unit: nil, content: .place(place)) }
    private static func began(_ entry: FleetEntry<UnitReport>) -> RunEvent { RunEvent(unit: entry.unit, content: .started(adapter: "")) }

    private static func ended(_ entry: FleetEntry<UnitReport>) -> RunEvent {
        RunEvent(unit: entry.unit, content: .ended(entry.result, seconds: entry.seconds))
    }

    @Test func optionsReachTheRequest() async throws {
        let list = try folder.write("C0:00:00:00:00:01\n", to: "units")
        let services = FakeServices(onWatch: { request, events in
            #expect(request.allowed == [FleetSample.address(1)] && request.threshold == -65 && request.repeatsPassed)
            #expect(request.units.adapters == ["hci1"] && request.units.family == "frame" && request.serials == nil)
            #expect(request.records.station == "bench 7" && request.records.workOrder == "WO1" && request.limits.stopAfter == 3)
            return try Self.course(events)
        })
        let arguments = [
            "flash", "--watch", "--devices", list, "--again", "--adapter", "hci1", "--family", "frame", "--order", "WO1", "--stop-after",
            "3"
        ]
        let context = harness.context(arguments, services: services, environment: ["HOME": "/", "NOAFW_STATION": "bench 7"])
        #expect(await Noafw.execute(in: context) == 0)
    }

    @Test func theThresholdReachesTheRequest() async throws {
        let services = FakeServices(onWatch: { request, events in
            #expect(request.threshold == -50 && request.allowed == nil)
            return try Self.course(events)
        })
        #expect(await Noafw.execute(in: harness.context(["flash", "--watch", "--near", "-50"], services: services)) == 0)
    }

    @Test func aNameIsNoAddress() async throws {
        let list = try folder.write("Frame 4F\n", to: "units")
        #expect(await Noafw.execute(in: harness.context(["flash", "--watch", "--devices", list])) == 65)
        #expect(harness.diagnostics.contains("NOA-0050"))
    }

    @Test(arguments: [(nil, 0, 1), (FleetSample.failed, 1, 3), (FleetSample.radio, 75, 3)] as [(Diagnosis?, Int32, Int)])
    func withoutATerminalThereAreLines(error: Diagnosis?, code: Int32, rings: Int) async throws {
        let services = FakeServices(onWatch: { _, events in try Self.course(events, error) })
        #expect(await Noafw.execute(in: harness.context(["flash", "--watch", "--bell"], services: services)) == code)
        let words = harness.diagnostics
        #expect(words.hasPrefix("waiting for a unit\nRUNNING  C0:00:00:00:00:01\n") && !words.contains("\u{1B}"))
        #expect(words.filter { $0 == "\u{7}" }.count == rings)
        #expect(words.contains("next: ") && words.contains("shift: 1 run"))
    }

    /// The orderly end of a shift is no interruption.
    @Test func ctrlCDrains() async throws {
        let interrupts = harness.interrupts
        let services = FakeServices(onWatch: { request, events in
            interrupts.ask()
            #expect(request.drain.isAsked)
            return try Self.course(events)
        })
        #expect(await Noafw.execute(in: harness.context(["flash", "--watch", "--json"], services: services)) == 0)
        #expect(try ToolBench.json(harness.output)["verdict"] as? String == "pass")
    }

    @Test func theBlockIsRewrittenInPlace() async throws {
        let services = FakeServices(onWatch: { _, events in try Self.course(events) })
        let context = harness.context(
            ["flash", "--watch"], services: services, environment: ["HOME": "/", "NO_COLOR": "1"], isTerminal: true, columns: 80)
        #expect(await Noafw.execute(in: context) == 0)
        let frames = harness.diagnostics.components(separatedBy: "\r\u{1B}[10A")
        #expect(frames.count == 4, "\(harness.diagnostics.debugDescription)")
        #expect(frames.allSatisfy { $0.components(separatedBy: "\n").count <= 12 })
        #expect(frames.last?.contains("PASS ✔  C0:00:00:00:00:01") == true)
    }

    @Test func scansComeFromTheTerminal() async throws {
        let terminal = FakeTerminal()
        let harness = harness
        let services = FakeServices(onWatch: { request, events in
            events(Self.place(.asking))
            let desk = try #require(request.serials)
            let clock = SessionClock.continuous
            let end = clock.deadline(in: .seconds(30))
            while desk.held == nil, clock.now < end { try await clock.sleep(until: clock.deadline(in: .milliseconds(5))) }
            #expect(desk.held == "SN0042")
            while !request.drain.isAsked, clock.now < end { try await clock.sleep(until: clock.deadline(in: .milliseconds(5))) }
            return try Self.course(events)
        })
        let context = terminal.attach(
            harness.context(["flash", "--watch", "--serial", "ask", "--serial-pattern", "SN[0-9]{4}"], services: services))
        async let code = Noafw.execute(in: context)
        try await terminal.waitFor("scan the unit's serial number")
        terminal.type("\r")
        try await terminal.waitFor("NOA-0051")
        terminal.type("ABC\r")
        try await terminal.waitFor("NOA-0054")
        terminal.type("SN0042\r\n")
        try await terminal.waitFor("serial SN0042")
        terminal.type("\u{3}")
        #expect(await code == 0)
    }

    // MARK: - What must be seen

    /// A notice comes between others, and with the verdict.
    @Test func noticesOfTheRunAreSeenOnATerminal() async throws {
        let services = FakeServices(onWatch: { _, events in
            let entry = try FleetSample.flashed(1)
            events(Self.began(entry))
            let error = Diagnosis(
                "LED-0021", .inputOutput, .station, String(repeating: "/a/long/path", count: 40), cause: "",
                remedy: "free some space")
            events(RunEvent(unit: entry.unit, content: .notice(error.notice)))
            events(Self.ended(entry))
            events(Self.place(.waiting))
            return FleetReport(entries: [entry])
        })
        let context = harness.context(
            ["flash", "--watch"], services: services, environment: ["HOME": "/", "NO_COLOR": "1"], isTerminal: true, columns: 40)
        #expect(await Noafw.execute(in: context) == 0)
        let last = try #require(harness.diagnostics.components(separatedBy: "\r\u{1B}[").last)
        #expect(
            last.contains("note: LED-0021") && last.contains("next: free") && last.contains("waiting for a unit"),
            "\(last.debugDescription)")
    }

    /// The last copy of a record that is kept nowhere: the next drawing does not take its place.
    @Test(arguments: ["--watch", "--all"]) func whatIsSaidBesideIsNotDrawnOver(mode: String) async throws {
        let harness = Harness(wakingUntil: .zero)
        let entry = try FleetSample.flashed(1)
        let record = String(repeating: "{RECORD}", count: 40)
        let services = FakeServices(
            onFlashFleet: { request, events in
                events(RunEvent(unit: entry.unit, content: .started(adapter: "hci0")))
                request.records.lastResort(record)
                events(RunEvent(unit: entry.unit, content: .stage(.firmware)))
                return FleetReport(entries: [entry])
            },
            onWatch: { request, events in
                events(Self.began(entry))
                request.records.lastResort(record)
                events(Self.ended(entry))
                return FleetReport(entries: [entry])
            })
        let context = harness.context(["flash", mode], services: services, environment: ["HOME": "/", "NO_COLOR": "1"], isTerminal: true)
        #expect(await Noafw.execute(in: context) == 0)
        let parts = harness.diagnostics.components(separatedBy: record + "\n")
        try #require(parts.count == 2)
        #expect(parts[0].hasSuffix("\u{1B}[J"), "what was drawn is gone: \(parts[0].debugDescription)")
        let next = try #require(parts[1].range(of: "\n"))
        #expect(!parts[1][..<next.lowerBound].contains(/\u{1B}\[[0-9]+A/), "the next drawing begins below: \(parts[1].debugDescription)")
    }

    @Test func theFirstCtrlCIsSeenWhileAUnitRuns() async throws {
        let interrupts = harness.interrupts
        let services = FakeServices(onWatch: { _, events in
            let entry = try FleetSample.flashed(1)
            events(Self.began(entry))
            interrupts.ask()
            events(Self.ended(entry))
            return FleetReport(entries: [entry])
        })
        let context = harness.context(["flash", "--watch"], services: services, environment: ["HOME": "/"], isTerminal: true)
        #expect(await Noafw.execute(in: context) == 0)
        #expect(harness.diagnostics.contains("press Ctrl-C again"))
    }

    @Test func aRefusalStaysWhenTheNextNumberIsAskedFor() async throws {
        let services = FakeServices(onWatch: { _, events in
            events(Self.place(.refused(SerialRefusal.bound("SN1", address: "C0:00:00:00:00:01").diagnosis)))
            events(Self.place(.asking))
            return FleetReport(entries: [])
        })
        let context = harness.context(["flash", "--watch"], services: services, environment: ["HOME": "/"], isTerminal: true)
        #expect(await Noafw.execute(in: context) == 69)
        let last = try #require(harness.diagnostics.components(separatedBy: "\r\u{1B}[").last)
        #expect(last.contains("NOA-0056") && last.contains("scan the unit's serial number"), "\(last.debugDescription)")
    }

    @Test func anEmptyShiftHasItsOwnWords() async {
        let services = FakeServices(onWatch: { _, _ in FleetReport(entries: []) })
        #expect(await Noafw.execute(in: harness.context(["flash", "--watch"], services: services)) == 69)
        #expect(harness.diagnostics.contains("error FLT-0008: the line ended before a unit was worked on"))
    }

    /// A lost adapter, `--timeout`: the units before have their verdicts all the same.
    @Test func whatTheShiftCameToIsNotLostWithItsEnd() async throws {
        let services = FakeServices(onWatch: { _, events in
            let entry = try FleetSample.flashed(1)
            events(RunEvent(unit: entry.unit, content: .started(adapter: "")))
            events(RunEvent(unit: entry.unit, content: .ended(.passed, seconds: 51.3)))
            throw LinkError.unavailable("the adapter is gone")
        })
        #expect(await Noafw.execute(in: harness.context(["flash", "--watch", "--json"], services: services)) == 69)
        let document = try ToolBench.json(harness.output)
        let units = try #require(document["units"] as? [[String: Any]])
        #expect(document["verdict"] as? String == "fail" && units.map { $0["outcome"] as? String } == ["pass"])
        #expect(!harness.diagnostics.contains("no unit was touched"))
    }

    // MARK: - Its end

    /// A terminal that is closed sends a signal and ends the input: one end, not the second one that cuts the running unit.
    @Test func theInputsEndIsAskedForOnceHoweverOften() async throws {
        let interrupts = harness.interrupts
        let services = FakeServices(onWatch: { request, events in
            interrupts.askGently()
            interrupts.askGently()
            #expect(request.drain.isAsked && interrupts.requests.poll() == nil)
            return try Self.course(events)
        })
        #expect(await Noafw.execute(in: harness.context(["flash", "--watch"], services: services)) == 0)
        interrupts.askGently()
        #expect(interrupts.requests.poll() != nil, "where nothing drains it is an interruption")
    }

    @Test func ctrlDNeverCutsAUnit() throws {
        let desk = SerialDesk(pattern: nil)
        let (interrupted, ended) = (Inbox<Void>(), Inbox<Void>())
        let terminal = FakeTerminal()
        try desk.open(
            terminal.attach(harness.context([])).input, answer: { _ in }, interrupt: { interrupted.deliver(()) }, end: { ended.deliver(()) }
        )
        terminal.type("\u{4}")
        #expect(interrupted.poll() == nil && ended.poll() != nil)
        terminal.type("\u{2}SN1\u{3}\r\u{4}")
        #expect(interrupted.poll() == nil && ended.poll() == nil && desk.held == "SN1", "a scanner frames its codes with them")
        terminal.type("\u{3}")
        #expect(interrupted.poll() != nil && interrupted.poll() == nil && ended.poll() == nil)
        desk.close()
    }
}
