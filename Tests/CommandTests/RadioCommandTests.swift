import Bluetooth
import Foundation
import MonocleFamily
import Provisioning
import Support
import Testing

@testable import noafw

@Suite struct RadioCommandTests {
    private let harness = Harness()

    private static func unit(
        _ address: String, _ mode: UnitMode = .application, rssi: Int = -47, name: String = "monocle"
    ) throws -> DiscoveredUnit {
        DiscoveredUnit(
            family: .monocle, mode: mode, advertisedAddress: try #require(DeviceAddress(address)), name: name, rssi: rssi)
    }

    @Test(arguments: [
        (["flash"], UnitSelector.only, nil), (["flash", "--nearest", "--adapter", "hci1"], .nearest, "hci1"),
        (["flash", "--device", "Frame 4F"], .name("Frame 4F"), nil),
        (["flash", "--device", "d3:5a:00:11:22:33"], .address(DeviceAddress("D3:5A:00:11:22:33")!), nil),
    ] as [([String], UnitSelector, String?)])
    func theUnitReachesTheRequest(arguments: [String], selector: UnitSelector, adapter: String?) async throws {
        let services = FakeServices(onFlash: { request, _ in
            #expect(request.fleet == UnitSelection(units: .one(selector), adapters: adapter.map { [$0] } ?? []))
            #expect(!request.inputs.allowsDevelopment)
            return try Sample.flashed()
        })
        #expect(await Noafw.execute(in: harness.context(arguments + ["--json"], services: services)) == 0)
        let document = try ToolBench.json(harness.output)
        let units = try #require(document["units"] as? [[String: Any]])
        #expect(units.first?["id"] as? String == "D3:5A:00:11:22:33")
    }

    @Test(arguments: [([], nil), (["--family", "frame"], "frame"), (["--family", "monocle"], "monocle")] as [([String], FamilyID?)])
    func theFamilyReachesTheRequest(arguments: [String], family: FamilyID?) async throws {
        let services = FakeServices(onFlash: { request, _ in
            #expect(request.fleet == UnitSelection(units: .one(.nearest), family: family))
            #expect(request.fleet.families.map(\.id) == (family.map { [$0] } ?? ["monocle", "frame"]))
            throw UnitSelectionError.none
        })
        #expect(await Noafw.execute(in: harness.context(["flash", "--nearest", "--json"] + arguments, services: services)) == 69)
        let units = try #require(try ToolBench.json(harness.output)["units"] as? [[String: Any]])
        #expect(units.first?["family"] as? String == family?.rawValue)
    }

    @Test func scanListsWhoIsInReach() async throws {
        let services = FakeServices(onScan: { request, _ in
            #expect(request.listening == .seconds(3) && request.adapter == "hci0")
            let units = [
                try Self.unit("D3:5A:00:11:22:33"), try Self.unit("E1:00:00:00:00:02", .bootloader, rssi: -71, name: "DfuTarg"),
                try Self.unit("E1:00:00:00:00:09", .bootloader, rssi: -80, name: "Dfu\u{1B}[2J"),
            ]
            return ScanReport(units: units, known: Set([units[1].address]))
        })
        #expect(await Noafw.execute(in: harness.context(["scan", "--seconds", "3", "--adapter", "hci0"], services: services)) == 0)
        #expect(
            harness.output == """
                address            family   mode            rssi  note                    name
                D3:5A:00:11:22:33  monocle  application  -47 dBm                          monocle
                E1:00:00:00:00:01  monocle  bootloader   -71 dBm  stranded: noafw rescue  DfuTarg
                E1:00:00:00:00:08  monocle  bootloader   -80 dBm  an unknown bootloader   Dfu\\u{1b}[2J

                """)
    }

    @Test func liveScanRedrawsInPlace() async throws {
        let services = FakeServices(onScan: { _, look in
            look(ScanReport(units: [], known: []))
            let report = ScanReport(units: [try Self.unit("D3:5A:00:11:22:33")], known: [])
            look(report)
            look(report)
            return report
        })
        #expect(await Noafw.execute(in: harness.context(["scan"], services: services, isTerminal: true)) == 0)
        #expect(harness.output.hasPrefix("listening...\n\u{1B}[1A\r\u{1B}[J"))
        #expect(harness.output.components(separatedBy: "D3:5A:00:11:22:33").count == 3, "drawn once alive, once for good")
    }

    /// A known unit is known while the table lives, too, and after an interrupt.
    @Test(arguments: [true, false]) func interruptedScanKnowsWhoIsStranded(json: Bool) async throws {
        let stranded = try Self.unit("E1:00:00:00:00:02", .bootloader, name: "DfuTarg")
        let services = FakeServices(onScan: { [harness] _, look in
            look(ScanReport(units: [stranded], known: [stranded.address]))
            harness.interrupts.requests.deliver(())
            try await harness.time.clock.sleep(until: .init(offset: .seconds(1)))
            throw CancellationError()
        })
        let arguments = json ? ["scan", "--json"] : ["scan"]
        #expect(await Noafw.execute(in: harness.context(arguments, services: services, isTerminal: true)) == 0)
        #expect(!harness.output.contains("not met before"))
        #expect(harness.output.components(separatedBy: json ? "\"known\":true" : "stranded: noafw rescue").count == (json ? 2 : 3))
    }

    /// The cursor goes back by as many rows as lines were drawn: none may wrap.
    @Test func liveRowsFitTheTerminal() async throws {
        let name = String(repeating: "\u{1B}漢", count: 40)
        let services = FakeServices(onScan: { _, look in
            let report = ScanReport(units: [try Self.unit("D3:5A:00:11:22:33", name: name)], known: [])
            look(report)
            return report
        })
        let context = harness.context(
            ["scan"], services: services, environment: ["HOME": "/", "NO_COLOR": "1"], isTerminal: true, columns: 60)
        #expect(await Noafw.execute(in: context) == 0)
        let parts = harness.output.components(separatedBy: "\u{1B}[2A\r\u{1B}[J")
        let live = try #require(parts.first).split(separator: "\n")
        #expect(live.count == 2 && live.allSatisfy { DisplayWidth.columns($0) <= 59 }, "\(live)")
        #expect(parts.last?.contains("-47 dBm") == true, "the last table is whole")
    }

    @Test func scanOfAnEmptyAirFails() async {
        let services = FakeServices(onScan: { _, _ in ScanReport(units: [], known: []) })
        #expect(await Noafw.execute(in: harness.context(["scan", "--json"], services: services)) == 69)
        #expect(harness.output.hasPrefix("{\"schema\":\"noafw.scan/1\",\"units\":[],\"error\":{\"code\":\"PRV-0020\""))
        #expect(harness.diagnostics.contains("PRV-0020"))
    }

    @Test func aUnitThatAnotherStationRescuesHasNoVerdict() async throws {
        let unit = FleetUnit(id: "D3:5A:00:11:22:33", address: DeviceAddress("D3:5A:00:11:22:33"), family: "monocle")
        let busy = UnitResult(LinkError.busy("another noafw process works on D3:5A:00:11:22:33"))
        let services = FakeServices(onRescue: { _, _ in RescueReport(entries: [FleetEntry(unit: unit, result: busy)]) })
        #expect(await Noafw.execute(in: harness.context(["rescue", "--json"], services: services)) == 75)
        #expect(harness.diagnostics.contains("IN USE  monocle D3:5A:00:11:22:33"), "\(harness.diagnostics)")
        let units = try #require(try ToolBench.json(harness.output)["units"] as? [[String: Any]])
        #expect(units.map { $0["verdict"] is NSNull } == [true], "\(harness.output)")
    }

    @Test func rescueTellsOfEveryUnit() async throws {
        let stranger = try Self.unit("E1:00:00:00:00:09", .bootloader, name: "DfuTarg")
        let services = FakeServices(onRescue: { request, _ in
            #expect(request.fleet.units == .one(.only) && request.options.dryRun == false)
            return RescueReport(entries: [try Self.flashed(), try Self.flashed(error: Sample.failure)], strangers: [stranger])
        })
        #expect(await Noafw.execute(in: harness.context(["rescue"], services: services)) == 1)
        #expect(
            harness.output == """
                PASS  monocle D3:5A:00:11:22:33
                FAIL  monocle D3:5A:00:11:22:33: the bootloader says \\u{1b}[2Jno
                LEFT  monocle E1:00:00:00:00:08, not met before
                (0.0 s)

                """)
        #expect(harness.diagnostics.contains("DFU-0B05"))
    }

    @Test func nobodyStrandedIsSuccess() async {
        let services = FakeServices(onRescue: { _, _ in RescueReport() })
        #expect(await Noafw.execute(in: harness.context(["rescue", "--json"], services: services)) == 0)
        #expect(
            harness.output
                == "{\"schema\":\"noafw.rescue/1\",\"verdict\":null,\"units\":[],\"strangers\":[],\"impostors\":[],\"running\":null,\"error\":null}\n"
        )
    }

    @Test func aRunningUnitIsSaidToRun() async throws {
        let running = try Self.unit("D3:5A:00:11:22:33")
        let services = FakeServices(onRescue: { _, _ in RescueReport(running: running) })
        #expect(await Noafw.execute(in: harness.context(["rescue", "--device", "D3:5A:00:11:22:33"], services: services)) == 0)
        #expect(harness.output.hasPrefix("NOTHING TO DO  D3:5A:00:11:22:33 runs its application: it is not stranded\n"))
    }

    /// A mouse that waits for its own update must not fail every rescue beside it.
    @Test func strangersBesideAFinishedUnitFailNothing() async throws {
        let stranger = try Self.unit("E1:00:00:00:00:09", .bootloader, name: "DfuTarg")
        let services = FakeServices(onRescue: { _, _ in RescueReport(entries: [try Self.flashed()], strangers: [stranger]) })
        #expect(await Noafw.execute(in: harness.context(["rescue"], services: services)) == 0)
        #expect(harness.output.contains("LEFT  monocle E1:00:00:00:00:08, not met before"))
    }

    @Test func onlyStrangersIsAnErrorWithTheNextStep() async throws {
        let stranger = try Self.unit("E1:00:00:00:00:09", .bootloader, name: "DfuTarg")
        let services = FakeServices(onRescue: { _, _ in RescueReport(strangers: [stranger]) })
        #expect(await Noafw.execute(in: harness.context(["rescue"], services: services)) == 69)
        #expect(harness.diagnostics.contains("--device E1:00:00:00:00:08"))
    }

    /// The first signal while it still listens: nothing was found, and nothing is said to be well.
    @Test func aSearchThatWasInterruptedIsNoPass() async throws {
        let interrupts = harness.interrupts
        let services = FakeServices(onRescue: { request, _ in
            interrupts.ask()
            #expect(request.drain.isAsked)
            return RescueReport()
        })
        #expect(await Noafw.execute(in: harness.context(["rescue", "--json"], services: services)) == 130)
        #expect(try ToolBench.json(harness.output)["verdict"] as? String == "fail")
        #expect(harness.diagnostics.contains("no unit was touched") && !harness.diagnostics.contains("PASS"))
    }

    private static func flashed(error: Diagnosis? = nil) throws -> FleetEntry<UnitReport> {
        let report = try Sample.flashed(error: error)
        return FleetEntry(
            unit: FleetUnit(id: "\(report.identity.address)", address: report.identity.address, family: report.family), report: report)
    }
}

extension RescueReport {
    fileprivate init(entries: [FleetEntry<UnitReport>] = [], strangers: [DiscoveredUnit] = [], running: DiscoveredUnit? = nil) {
        self.init(fleet: FleetReport(entries: entries), heard: StrandedUnits(strangers: strangers, running: running))
    }
}
