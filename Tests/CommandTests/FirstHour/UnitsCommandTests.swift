import Bluetooth
import Foundation
import Provisioning
import TestSupport
import Testing

@testable import noafw

/// `noafw units`, and where the names show.
@Suite struct UnitsCommandTests {
    private static let address = "C6:05:04:03:02:01"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(
        _ arguments: [String], _ services: FakeServices = FakeServices(), columns: Int = 80
    ) async -> (code: Int32, output: String, errors: String) {
        let harness = Harness()
        let environment = ["HOME": "/", "NOAFW_STATE_DIR": folder.path]
        let code = await Noafw.execute(
            in: harness.context(arguments, services: services, environment: environment, isTerminal: columns < 80, columns: columns))
        return (code, harness.output, harness.diagnostics)
    }

    @Test func aNameIsGivenShownChangedAndTakenAway() async throws {
        let named = await run(["units", "name", Self.address.lowercased(), "Room 3, 12"])
        #expect(named.output == "\(Self.address) is called Room 3, 12 now\n")
        let (known, other) = (KnownUnits(stateFolder: folder.path), DeviceAddress("D3:5A:00:11:22:33")!)
        try await known.record("frame", DeviceAddress(Self.address)!, at: Date(timeIntervalSince1970: 0))
        try await known.record("monocle", other, at: Date(timeIntervalSince1970: 9))
        let list = await run(["units", "list"]).output
        #expect(
            list == """
                address            name        family   last worked on
                C6:05:04:03:02:01  Room 3, 12  frame    1970-01-01T00:00:00Z
                D3:5A:00:11:22:33  -           monocle  1970-01-01T00:00:09Z

                """)
        #expect(await run(["units", "name", "room 3, 12", "Room 4, 1"]).code == 0)
        let json = try ToolBench.json(await run(["units", "list", "--json"]).output)
        #expect((json["units"] as? [[String: Any]])?.first?["name"] as? String == "Room 4, 1")
        #expect(await run(["units", "forget", "Room 4, 1"]).output == "\(Self.address), which was called Room 4, 1 is forgotten\n")
        #expect(try KnownUnits(stateFolder: folder.path).load().map(\.family) == ["monocle"])
        #expect(try UnitNames(stateFolder: folder.path).load().isEmpty)
        let again = await run(["units", "forget", Self.address])
        #expect(again.code == 64 && again.errors.hasPrefix("error NOA-0123"), "\(again.errors)")
    }

    @Test func anEmptyListSaysWhatToDo() async {
        let (code, output, _) = await run(["units", "list"])
        #expect(code == 0 && output.contains("noafw scan"))
    }

    @Test(arguments: [
        (["units", "name", "Room 9", "x"], "NOA-0123"), (["units", "name", Self.address, "D3:5A:00:11:22:33"], "PRV-0050"),
        (["units", "name", Self.address, String(repeating: "x", count: 65)], "PRV-0050"),
        (["units", "name", Self.address, "a\u{1B}[2J"], "PRV-0050"),
        (["units", "name", "D3:5A:00:11:22:33", "room 3, 12"], "PRV-0051"), (["units", "name", "C6:05:04", "x"], "NOA-0120"),
        (["units", "forget", "Room 3, 13"], "NOA-0121"),
    ])
    func whatIsNoNameIsRefused(arguments: [String], code: String) async throws {
        #expect(await run(["units", "name", Self.address, "Room 3, 12"]).code == 0)
        let (exit, _, errors) = await run(arguments)
        #expect(exit == 64 && errors.hasPrefix("error \(code)"), "\(errors)")
        #expect(try UnitNames(stateFolder: folder.path).load() == [DeviceAddress(Self.address)!: "Room 3, 12"])
    }

    /// Addresses of tables, lines, errors and documents.
    @Test func theNameShowsWhereverTheUnitIsNamed() async throws {
        let unit = FleetSample.address(1)
        #expect(await run(["units", "name", "\(unit)", "Room 3, 12"]).code == 0)
        let found = DiscoveredUnit(family: "frame", mode: .application, advertisedAddress: unit, name: "Frame", rssi: -50)
        let services = FakeServices(
            onFlashFleet: { _, _ in FleetReport(entries: [try FleetSample.flashed(1), try FleetSample.flashed(2)]) },
            onVerifyFleet: { request, _ in
                FleetReport(entries: [try FleetSample.verified(1, request.comparison), try FleetSample.verified(2, request.comparison)])
            },
            onRescue: { _, _ in throw UnitSelectionError.several([found]) },
            onScan: { _, _ in ScanReport(units: [found], known: []) },
            onPair: { _ in BondReport(family: "frame", address: unit, outcome: .made) })
        let labelled = "\(unit) (Room 3, 12)"
        for verb in [["flash", "--all"], ["verify", "--all"], ["scan"], ["pair"]] {
            let text = await run(verb, services)
            #expect(text.output.contains(labelled), "\(verb): \(text)")
        }
        #expect(await run(["rescue"], services).errors.contains(labelled))
        for (verb, member) in [(["flash", "--all"], "units"), (["scan"], "units")] {
            let document = try ToolBench.json(await run(verb + ["--json"], services).output)
            let units = try #require(document[member] as? [[String: Any]])
            #expect(units.contains { $0["label"] as? String == "Room 3, 12" }, "\(document)")
        }
    }

    /// A command to copy stays one.
    @Test func whatIsCopiedHasNoName() {
        UnitLabels.$known.withValue([DeviceAddress(Self.address)!: "Room 3, 12"]) {
            #expect(UnitLabels.labelled("run: noafw flash --device \(Self.address)") == "run: noafw flash --device \(Self.address)")
            #expect(UnitLabels.labelled("\(Self.address), D3:5A:00:11:22:33") == "\(Self.address) (Room 3, 12), D3:5A:00:11:22:33")
            #expect(UnitLabels.labelled("\(Self.address) (Room 3, 12)") == "\(Self.address) (Room 3, 12)")
        }
    }
}
