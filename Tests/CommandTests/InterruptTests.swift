import Bluetooth
import Provisioning
import Support
import Testing

@testable import noafw

@Suite struct InterruptTests {
    private let harness = Harness()

    /// Goes to a stage, has itself interrupted there, and waits to be cancelled.
    private func stalled(at stage: Stage) -> FakeServices {
        let (interrupts, clock) = (harness.interrupts, harness.time.clock)
        return FakeServices(onFlash: { _, events in
            events(.probed(try Sample.identity()))
            events(.stage(stage))
            interrupts.requests.deliver(())
            try await clock.sleep(until: clock.deadline(in: .seconds(60)))
            return try Sample.flashed()
        })
    }

    @Test func aCancelledRunTellsTheUnitsStateAndTheNextCommand() async {
        let arguments = ["flash", "--virtual", "monocle", "--firmware", "it's.zip"]
        #expect(await Noafw.execute(in: harness.context(arguments, services: stalled(at: .firmware))) == 130)
        #expect(harness.output.hasSuffix("INTERRUPTED  the unit is not verified (0.0 s)\n"))
        #expect(harness.diagnostics.hasSuffix("""
            error NOA-0003: interrupted; the unit waits in its bootloader, its new firmware incomplete
              cause: noafw received a signal
              next:  run: noafw flash --virtual monocle --firmware 'it'\\''s.zip' (it continues where it stopped)

            """))
    }

    @Test(arguments: [
        ["flash", "--virtual", "monocle"], ["verify", "--virtual", "monocle"], ["flash", "--watch", "--virtual", "monocle"],
        ["verify", "--all"]
    ])
    func aRunThatDidNotBeginTouchedNoUnit(arguments: [String]) async {
        let clock = harness.time.clock
        @Sendable func wait() async throws -> Never {
            try await clock.sleep(until: clock.deadline(in: .seconds(60)))
            throw CommandError.noStateFolder
        }
        let services = FakeServices(
            onFlash: { _, _ in try await wait() }, onVerify: { _, _ in try await wait() }, onVerifyFleet: { _, _ in try await wait() },
            onWatch: { _, _ in try await wait() })
        harness.interrupts.ask()
        harness.interrupts.ask()
        #expect(await Noafw.execute(in: harness.context(arguments, services: services)) == 130)
        let words = harness.output + harness.diagnostics
        #expect(words.contains("no unit was touched") && !words.contains("not verified"), "\(words)")
    }

    @Test func theDocumentStaysWhole() async {
        let services = stalled(at: .fpga)
        #expect(await Noafw.execute(in: harness.context(["flash", "--virtual", "monocle", "--json"], services: services)) == 130)
        #expect(harness.output.hasPrefix("{\"schema\":\"noafw.flash/1\",\"verdict\":\"fail\""))
        #expect(harness.output.contains("\"address\":\"D3:5A:00:11:22:33\""))
        #expect(harness.output.contains("\"code\":\"NOA-0003\""))
        #expect(harness.output.filter { $0 == "\n" }.count == 1)
    }

    @Test func aReportOfTheCancellationIsKeptUnderTheInterrupt() async throws {
        let interrupts = harness.interrupts
        let clock = harness.time.clock
        let services = FakeServices(onFlash: { _, events in
            events(.stage(.scripts))
            interrupts.requests.deliver(())
            try? await clock.sleep(until: clock.deadline(in: .seconds(60)))
            return try Sample.flashed(error: Sample.failure)
        })
        #expect(await Noafw.execute(in: harness.context(["flash", "--virtual", "monocle"], services: services)) == 130)
        #expect(harness.output.contains("firmware  v23.100.0000"))
        #expect(harness.diagnostics.contains("NOA-0003") && !harness.diagnostics.contains("DFU-0B05"))
    }

    @Test func theLastWordsAreSaidOnceAndOnlyByTheFirst() async {
        let (harness, interrupts) = (harness, harness.interrupts)
        let services = FakeServices(onFlash: { _, events in
            events(.stage(.erase))
            interrupts.exitReport.give()
            interrupts.exitReport.give()
            return try Sample.flashed()
        })
        _ = await Noafw.execute(in: harness.context(["flash", "--virtual", "monocle"], services: services))
        let told = harness.diagnostics.split(separator: "\n").filter { $0.hasPrefix("error NOA-0003: interrupted;") }
        #expect(told.count == 1)
        #expect(!harness.output.contains("PASS"))
    }

    /// A second signal, while the record of a unit that has passed is sent.
    @Test func aVerdictIsNotTakenBack() async throws {
        let (interrupts, harness) = (harness.interrupts, harness)
        let unit = FleetUnit(id: "monocle", address: try Sample.identity().address, family: "monocle")
        let services = FakeServices(onFlashFleet: { _, events in
            events(RunEvent(unit: unit, content: .probed(try Sample.identity())))
            for step in Sample.steps { events(RunEvent(unit: unit, content: .step(step))) }
            events(RunEvent(unit: unit, content: .ended(.passed, seconds: 3)))
            interrupts.exitReport.give()
            throw CancellationError()
        })
        _ = await Noafw.execute(in: harness.context(["flash", "--virtual", "monocle", "--json"], services: services))
        let document = try ToolBench.json(harness.output)
        let units = try #require(document["units"] as? [[String: Any]])
        #expect(
            document["verdict"] as? String == "pass" && units.first?["verdict"] as? String == "pass" && interrupts.exitReport.exitCode == 0)
        #expect((units.first?["steps"] as? [Any])?.count == 3 && units.first?["address"] as? String == "D3:5A:00:11:22:33")
    }

    @Test func theTimeLimitEndsARun() async {
        let harness = Harness(wakingUntil: .seconds(5))
        let clock = harness.time.clock
        let services = FakeServices(onVerify: { _, _ in
            try await clock.sleep(until: clock.deadline(in: .seconds(60)))
            return try Sample.verified(scriptsMatch: true)
        })
        let arguments = ["verify", "--virtual", "monocle", "--timeout", "5"]
        #expect(await Noafw.execute(in: harness.context(arguments, services: services)) == 75)
        #expect(harness.diagnostics.contains("error NOA-0002: the run did not end within the 5 s of --timeout"))
    }

    @Test(arguments: [.connect, .probe, .preflight, .proof] + FamilyList.supported.components.flatMap(\.stages))
    func everyStageHasItsWords(stage: Stage) {
        let harmless: Set<Stage> = [.connect, .probe, .preflight]
        let flash = InterruptedState(mayChangeUnit: true, stage: stage, arguments: ["flash"])
        #expect((flash.condition == "nothing that the unit stores was changed") == harmless.contains(stage))
        #expect(flash.nextAction.hasPrefix("run: noafw flash"))
        let reading = InterruptedState(mayChangeUnit: false, stage: stage, arguments: ["verify"])
        #expect(reading.condition == "nothing that the unit stores was changed")
    }
}
