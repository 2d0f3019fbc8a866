import Provisioning
import Support
import Synchronization
import Testing

@testable import noafw

/// Before files of a person's own go, the person is asked, if there is one.
@Suite struct EraseQuestionTests {
    private let harness = Harness()
    private static let question = "erase these 2 files on the unit? [y/N] "

    private static func plan(_ names: [String]?) -> Plan {
        var component = ComponentPlan(component: .scripts, action: .update, from: nil, to: "v2", byteCount: 5)
        component.erases = names
        return Plan(family: "frame", unit: "D3:5A:00:11:22:33", components: [component])
    }

    /// - Parameter asked: how often the job asks.
    private func services(_ names: [String]?, asked: Int = 1) -> FakeServices {
        FakeServices(onFlash: { request, _ in
            do {
                for _ in 0..<asked { try await request.options.beforeChange(Self.plan(names)) }
                return try Sample.flashed()
            } catch let error as ProvisioningError {
                return try Sample.flashed(error: error.diagnosis, steps: [])
            }
        })
    }

    @Test(arguments: [("y\n", 0), ("yes\n", 0), ("n\n", 77), ("\n", 77)]) func aTerminalAsksOnce(answer: String, code: Int32) async throws {
        let terminal = FakeTerminal()
        let context = terminal.attach(
            harness.context(
                ["flash", "--virtual", "frame"], services: services(["main.lua", "mine.lua"], asked: 2),
                environment: ["HOME": "/home/op", "TERM": "dumb"]))
        async let exit = Noafw.execute(in: context)
        try await terminal.waitFor(Self.question)
        terminal.type(answer)
        #expect(await exit == code)
        #expect(terminal.screen.ranges(of: Self.question).count == 1, "\(terminal.screen)")
        #expect(terminal.screen.contains("PRV-0019") == (code == 77))
    }

    @Test(arguments: [["--yes"], ["--json"]]) func whoAsksForNoneIsNotAsked(options: [String]) async throws {
        let terminal = FakeTerminal()
        let context = terminal.attach(
            harness.context(["flash", "--virtual", "frame"] + options, services: services(["main.lua", "mine.lua"])))
        #expect(await Noafw.execute(in: context) == 0)
        #expect(!terminal.screen.contains("[y/N]"))
    }

    @Test func whereNobodySitsNobodyIsAsked() async throws {
        #expect(await Noafw.execute(in: harness.context(["flash", "--virtual", "frame"], services: services(["main.lua"]))) == 0)
        #expect(!harness.diagnostics.contains("[y/N]"))
    }

    @Test func aUnitWithoutFilesOfOnesOwnIsNotAskedAbout() async throws {
        let terminal = FakeTerminal()
        #expect(await Noafw.execute(in: terminal.attach(harness.context(["flash", "--virtual", "frame"], services: services(nil)))) == 0)
        #expect(!terminal.screen.contains("[y/N]"))
    }

    // MARK: - Several units

    private static let fleetQuestion = "erase them? [y/N] "

    private func fleet(_ names: [[String]?]) -> FakeServices {
        FakeServices(onFlashFleet: { request, events in
            await withTaskGroup(of: FleetEntry<UnitReport>.self) { group in
                for (number, names) in names.enumerated() {
                    group.addTask {
                        do {
                            try await request.options.beforeChange(Self.plan(names))
                            return FleetEntry(unit: FleetSample.unit(number), result: .passed)
                        } catch { return FleetEntry(unit: FleetSample.unit(number), result: UnitResult(diagnose(error))) }
                    }
                }
                events(RunEvent(unit: FleetSample.unit(9), content: .ended(.passed, seconds: 1)))
                return FleetReport(entries: await group.reduce(into: []) { $0.append($1) })
            }
        })
    }

    /// Whoever is the first; who waits beside it goes by the same answer, and who loses nothing waits for none.
    @Test(arguments: [("y\n", 0), ("n\n", 77)]) func severalUnitsAreAskedOnce(answer: String, code: Int32) async throws {
        let terminal = FakeTerminal()
        let context = terminal.attach(
            harness.context(
                ["flash", "--all"], services: fleet([["a.lua"], ["main.lua", "b.lua"], nil, ["c.lua"]]),
                environment: ["HOME": "/", "NO_COLOR": "1"]))
        async let exit = Noafw.execute(in: context)
        try await terminal.waitFor("D3:5A:00:11:22:33 would lose ")
        try await terminal.waitFor("the answer applies to such files on all units in this run\n" + Self.fleetQuestion)
        terminal.type(answer)
        #expect(await exit == code)
        #expect(terminal.screen.ranges(of: Self.fleetQuestion).count == 1, "\(terminal.screen)")
        #expect(terminal.screen.contains(code == 0 ? "4 passed" : "PRV-0019, 3 units"), "\(terminal.screen)")
        #expect(terminal.screen.contains("C0:00:00:00:00:09"), "what came beside the question is not lost")
    }

    /// Who asks is taken away before the answer: the next one asks.
    @Test func aCancelledQuestionIsAskedAgain() async throws {
        let terminal = FakeTerminal()
        let question = try #require(EraseQuestion(terminal.attach(harness.context([])), isForSeveral: true))
        let first = Task { try await question.ask(about: Self.plan(["a.lua"])) }
        try await terminal.waitFor(Self.fleetQuestion)
        let second = Task { try await question.ask(about: Self.plan(["b.lua"])) }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        try await terminal.waitFor(Self.fleetQuestion)
        terminal.type("y\n")
        try await second.value
    }

    /// An operator of a line has a scanner in the hand.
    @Test func aLineNeverAsks() async throws {
        let terminal = FakeTerminal()
        let services = FakeServices(onWatch: { request, _ in
            try await request.options.beforeChange(Self.plan(["main.lua"]))
            return FleetReport(entries: [try FleetSample.flashed(1)])
        })
        #expect(await Noafw.execute(in: terminal.attach(harness.context(["flash", "--watch"], services: services))) == 0)
        #expect(!terminal.screen.contains("[y/N]"))
    }

    /// The document has the names, where there are some.
    @Test func thePlanNamesThem() {
        #expect(JSONWriter.text(PlanMember(Self.plan(["main.lua"]))).contains(#""erases":["main.lua"]"#))
        #expect(!JSONWriter.text(PlanMember(Self.plan(nil))).contains("erases"))
    }
}
