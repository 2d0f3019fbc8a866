import Bluetooth
import Foundation
import Provisioning
import Support
import Testing

@testable import noafw

@Suite struct FlashOutputTests {
    private let harness = Harness()

    private func services(_ report: UnitReport) -> FakeServices {
        let time = harness.time
        return FakeServices(onFlash: { _, events in
            events(.stage(.connect))
            events(.probed(report.identity))
            events(.stage(.firmware))
            for step in 0...4 {
                events(.progress(stage: .firmware, overall: Double(step) * 0.1, bytesDone: step * 15_000, bytesTotal: 214_708))
                time.advance(.seconds(1))
            }
            events(RunEvent(unit: FleetUnit(id: ""), content: .notice("the link \u{202E}slowed down")))
            for step in report.steps { events(.step(step)) }
            return report
        })
    }

    @Test func plainLinesAndTable() async throws {
        let context = harness.context(["flash", "--virtual", "monocle"], services: services(try Sample.flashed()))
        #expect(await Noafw.execute(in: context) == 0)
        #expect(harness.diagnostics == """
            connect
            unit D3:5A:00:11:22:33 "monocle", battery 87 %
            firmware
            firmware 10 %  15.0 kB/s  0:09 left
            firmware 20 %  15.0 kB/s  0:08 left
            firmware 30 %  15.0 kB/s  0:07 left
            firmware 40 %  15.0 kB/s  0:06 left
            note: the link \\u{202e}slowed down
            firmware updated: v23.100.0000 -> v26.001.0000
            fpga is current: v26.001.0000
            scripts updated: - -> sha256:0123456789ab

            """)
        #expect(harness.output == """
            unit D3:5A:00:11:22:33 "monocle", battery 87 %

            part      from          to                   result     bytes  seconds       rate
            firmware  v23.100.0000  v26.001.0000         updated  214,708     14.2  15.1 kB/s
            fpga      v26.001.0000  v26.001.0000         current        -        -          -
            scripts   -             sha256:0123456789ab  updated    9,120      1.2   7.3 kB/s

            PASS  the unit is verified (5.0 s)

            """)
    }

    @Test func jsonIsOneDocumentInTheBlueprintsOrder() async throws {
        let context = harness.context(
            ["flash", "--virtual", "monocle:line-7", "--json"], services: services(try Sample.flashed(error: Sample.failure)))
        #expect(await Noafw.execute(in: context) == 1)
        let expected = """
            {"schema":"noafw.flash/1","verdict":"fail","units":[{"id":"monocle:line-7","family":"monocle",\
            "address":"D3:5A:00:11:22:33","verdict":"fail","fault":"unit","steps":[\
            {"name":"firmware","action":"updated","from":"v23.100.0000","to":"v26.001.0000","bytes":214708,"seconds":14.2,"proof":"version"},\
            {"name":"fpga","action":"current","from":"v26.001.0000","to":"v26.001.0000","bytes":0,"seconds":0,"proof":"digest"},\
            {"name":"scripts","action":"updated","from":null,"to":"\(Sample.scriptsDigest)","bytes":9120,"seconds":1.25,"proof":"digest"}],\
            "error":{"code":"DFU-0B05","message":"the bootloader says \\u001b[2Jno","hint":"give a newer package"},\
            "program":null,"recoveries":[],"run":null}]}

            """
        #expect(harness.output == expected)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(harness.output.utf8)) }
    }

    private static func recovered() throws -> UnitReport {
        var report = try Sample.flashed(error: nil)
        report.program = ProgramVerification(.silent, seconds: 5)
        report.recoveries = [Recovery(remedy: .safeMode, reason: Sample.failure)]
        return report
    }

    @Test func whatTheUnitNeededAndHowItsProgramWasProvedIsTold() async throws {
        let report = try Self.recovered()
        #expect(await Noafw.execute(in: harness.context(["flash", "--virtual", "monocle"], services: services(report))) == 0)
        #expect(harness.output.hasSuffix("""

              needed a restart into safe mode: the bootloader says \\u{1b}[2Jno [DFU-0B05]

            PASS  the unit is verified (5.0 s)
              its program ran for 5 s without an error
              its program never says that it is ready: verified by its version, a quiet console and the absence of errors

            """), "\(harness.output)")
    }

    @Test func andInTheDocument() async throws {
        let report = try Self.recovered()
        #expect(await Noafw.execute(in: harness.context(["flash", "--virtual", "monocle", "--json"], services: services(report))) == 0)
        #expect(harness.output.hasSuffix("""
            "error":null,"program":"silent","recoveries":[{"remedy":"safe-mode","reason":\
            {"code":"DFU-0B05","message":"the bootloader says \\u001b[2Jno","hint":"give a newer package"}}],"run":null}]}

            """), "\(harness.output)")
    }

    @Test func errorsNameCodeCauseAndNextAction() async throws {
        let context = harness.context(
            ["flash", "--virtual", "monocle"], services: services(try Sample.flashed(error: Sample.failure)))
        #expect(await Noafw.execute(in: context) == 1)
        #expect(harness.diagnostics.hasSuffix("""
            error DFU-0B05: the bootloader says \\u{1b}[2Jno
              cause: its firmware is newer
              next:  give a newer package

            """))
        #expect(harness.output.hasSuffix("FAIL  the unit is not verified (5.0 s)\n"))
    }

    @Test func anErrorBeforeAnyUnitStillGivesADocumentAndItsExitCode() async throws {
        let services = FakeServices(onFlash: { _, _ in throw CatalogueError.fileMissing(path: "/line/Firmware/a.zip") })
        let context = harness.context(["flash", "--virtual", "monocle", "--json"], services: services)
        #expect(await Noafw.execute(in: context) == 66)
        #expect(harness.output.hasPrefix("""
            {"schema":"noafw.flash/1","verdict":"fail","units":[{"id":"monocle","family":"monocle","address":null,\
            "verdict":"fail","fault":null,"steps":[],"error":{"code":"CAT-0007",
            """.trimmingCharacters(in: .newlines)))
    }

    @Test func anUnknownErrorIsExplainedToo() async throws {
        let services = FakeServices(onFlash: { _, _ in throw FakeServices.NotExpected() })
        #expect(await Noafw.execute(in: harness.context(["flash", "--virtual", "monocle"], services: services)) == 74)
        #expect(harness.diagnostics.contains("error NOA-0004: unexpected error: NotExpected()"))
    }

    @Test func dryRunSaysWhatItWouldDo() async throws {
        let steps = [StepReport(component: .scripts, action: .planned, from: nil, to: Sample.scriptsDigest, bytes: 10)]
        let services = FakeServices(onFlash: { request, _ in
            #expect(request.options.dryRun)
            return try Sample.flashed(steps: steps)
        })
        #expect(await Noafw.execute(in: harness.context(["flash", "--virtual", "monocle", "--dry-run"], services: services)) == 0)
        #expect(harness.output.hasSuffix("DRY RUN  would update scripts; nothing was changed (0.0 s)\n"))
    }

    @Test func aCurrentUnitIsCalledCurrent() async throws {
        let steps = FamilyList.supported.components.map {
            StepReport(component: $0, action: .current, from: "v26.001.0000", to: "v26.001.0000")
        }
        let services = FakeServices(onFlash: { _, _ in try Sample.flashed(steps: steps) })
        #expect(await Noafw.execute(in: harness.context(["flash", "--virtual", "monocle"], services: services)) == 0)
        #expect(harness.output.hasSuffix("""
            PASS  everything is current (0.0 s)
              the firmware is current by its version alone: a unit's firmware cannot be read back

            """))
    }

    /// Parts that were not asked for are not called proved.
    @Test(arguments: [
        ([StepReport.Action.skipped, .skipped, .updated], "PASS  verified: scripts (0.0 s)\n"),
        ([.skipped, .current, .current], "PASS  current: fpga, scripts (0.0 s)\n"),
        ([.updated, .skipped, .skipped], "PASS  verified: firmware (0.0 s)\n"),
        ([.updated, .updated, .updated], "PASS  the unit is verified (0.0 s)\n"),
    ])
    func noMoreIsClaimedThanWasDone(actions: [StepReport.Action], verdict: String) async throws {
        let steps = zip(FamilyList.supported.components, actions).map { StepReport(component: $0, action: $1, from: "v1", to: "v1") }
        let services = FakeServices(onFlash: { _, _ in try Sample.flashed(steps: steps) })
        #expect(await Noafw.execute(in: harness.context(["flash", "--virtual", "monocle"], services: services)) == 0)
        #expect(harness.output.hasSuffix(verdict), "\(harness.output)")
    }

    @Test func whatFailsBeforeAUnitIsTouchedIsNotStarted() async throws {
        let services = FakeServices(onFlash: { _, _ in throw CatalogueError.fileMissing(path: "/line/Firmware/a.zip") })
        #expect(await Noafw.execute(in: harness.context(["flash", "--virtual", "monocle"], services: services)) == 66)
        #expect(harness.output == "NOT STARTED  no unit was touched (0.0 s)\n")
    }

    @Test func verboseLinesCarryTheSecondsSinceTheStart() async throws {
        let context = harness.context(["flash", "--virtual", "monocle", "-v"], services: services(try Sample.flashed()))
        #expect(await Noafw.execute(in: context) == 0)
        #expect(harness.diagnostics.hasPrefix("    0.0 s  connect\n"))
        #expect(harness.diagnostics.contains("    5.0 s  note: "))
    }

    @Test func coloursOnlyOnATerminalAndNotUnderNoColor() async throws {
        let escape = "\u{1B}["
        for (isTerminal, noColor, isColoured) in [(true, "", true), (true, "1", false), (false, "", false)] {
            let harness = Harness()
            let services = FakeServices(onFlash: { _, _ in try Sample.flashed() })
            let context = harness.context(
                ["flash", "--virtual", "monocle"], services: services, environment: ["HOME": "/home/op", "NO_COLOR": noColor],
                isTerminal: isTerminal)
            #expect(await Noafw.execute(in: context) == 0)
            #expect(harness.output.contains(escape) == isColoured, "terminal \(isTerminal), NO_COLOR '\(noColor)'")
        }
    }
}
