import Bluetooth
import Foundation
import Provisioning
import TestSupport
import Testing

@testable import noafw

/// What `--device` takes, and what is told of it before anything is opened or looked for.
@Suite struct DeviceArgumentTests {
    private static let address = DeviceAddress("C6:05:04:03:02:01")!
    private static let other = DeviceAddress("C6:05:04:03:02:99")!

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var environment: [String: String] { ["HOME": "/", "NOAFW_STATE_DIR": folder.path] }

    private func run(_ arguments: [String], _ services: FakeServices = FakeServices()) async -> (code: Int32, harness: Harness) {
        let harness = Harness()
        return (await Noafw.execute(in: harness.context(arguments, services: services, environment: environment)), harness)
    }

    private func name(_ name: String = "Room 3, 12", _ address: DeviceAddress = Self.address) async throws {
        try await UnitNames(stateFolder: folder.path).set(name, for: address)
    }

    private func pair(_ device: String) async throws -> UnitSelection.Units? {
        let asked = Notices()
        let services = FakeServices(onPair: { request in
            asked.add("\(request.unit.units)")
            return BondReport(family: "frame", address: Self.address, outcome: .kept)
        })
        let (code, harness) = await run(["pair", "--device", device], services)
        #expect(code == 0, "\(harness.diagnostics)")
        return asked.all.first == "\(UnitSelection.Units.one(.address(Self.address)))" ? .one(.address(Self.address)) : nil
    }

    @Test(arguments: ["Room 3, 12", "room 3, 12", "C6:05:04:03:02:01", "c6:05:04:03:02:01"])
    func aNameStandsForItsAddress(device: String) async throws {
        try await name()
        #expect(try await pair(device) != nil)
    }

    /// The flash would be refused for its missing file otherwise.
    @Test(arguments: [
        ("C6:05:04:03:02", "NOA-0120", "did you mean C6:05:04:03:02:01"),
        ("C6:0", "NOA-0120", "six pairs of hexadecimal digits"),
        ("C6:05:04:03:02:0G", "NOA-0120", "did you mean C6:05:04:03:02:01"),
        ("c6-05-04-03-02-01", "NOA-0120", "did you mean C6:05:04:03:02:01"),
        ("C60504030201", "NOA-0120", "did you mean C6:05:04:03:02:01"),
        ("C6:O5:04:03:02:01", "NOA-0120", "did you mean C6:05:04:03:02:01"), ("Room 3,12", "NOA-0121", "did you mean \"Room 3, 12\"?"),
        ("Rom 3, 12", "NOA-0121", "did you mean \"Room 3, 12\"?"),
    ])
    func aMistypedOneIsToldFirst(device: String, code: String, words: String) async throws {
        try await name()
        for arguments in [
            ["flash", "--device", device, "--bundle", "none.zip"], ["rescue", "--device=\(device)"], ["unpair", "--device", device],
        ] {
            let (exit, harness) = await run(arguments)
            #expect(exit == 64 && harness.diagnostics.hasPrefix("error \(code): \(code == "NOA-0120" ? device : "no unit is called")"))
            #expect(harness.diagnostics.contains(words), "\(harness.diagnostics)")
        }
    }

    @Test(arguments: ["monocle", "Frame 4F", "IOS-Keyboard", "my glasses", "DfuTarg", "OpenBot: DIY", "bed", "cafe"])
    func whatAUnitMayAdvertiseIsLookedFor(device: String) async throws {
        try await name("Monocle 2")
        let services = FakeServices(onFlash: { request, _ in
            #expect(request.fleet.units == .one(.name(device)))
            throw CommandError.noStateFolder
        })
        let (code, harness) = await run(["flash", "--device", device], services)
        #expect(code == 66 && harness.diagnostics.contains("NOA-0001"), "\(harness.diagnostics)")
    }

    @Test func aSecretsVerbRepeatsNothing() async throws {
        let (other, second) = await run(["type", "--device", "12:34:56:78", "x"])
        #expect(other == 64 && second.diagnostics.hasPrefix("error NOA-0120: this looks like") && !second.diagnostics.contains("34:56"))
    }

    @Test func aFileOfDevicesTakesNames() async throws {
        try await name()
        try folder.write("room 3, 12\n\(Self.other)\n", to: "list.txt")
        let asked = Notices()
        let services = FakeServices(onVerifyFleet: { request, _ in
            asked.add("\(request.fleet.units)")
            return FleetReport(entries: [])
        })
        _ = await run(["verify", "--devices", folder.path("list.txt")], services)
        #expect(asked.all == ["\(UnitSelection.Units.listed([ListedUnit("\(Self.address)"), ListedUnit("\(Self.other)")]))"])
    }

    @Test func aDamagedListCostsOnlyTheNames() async throws {
        try folder.write("{", to: "names.json")
        let (code, harness) = await run(["units", "list"])
        #expect(harness.diagnostics.hasPrefix("note: PRV-0030: ") && code == 74, "\(harness.diagnostics)")
        let (fine, _) = await run(["explain", "NOA-0001"])
        #expect(fine == 0)
    }

    // MARK: - --label

    @Test(arguments: [
        ["flash", "--all", "--label", "x"], ["flash", "--watch", "--label", "x"], ["info", "--virtual", "frame", "--label", "x"],
        ["verify", "--virtual", "frame", "--label", "x"], ["flash", "--label", "C6:05:04:03:02:01"], ["flash", "--label", " x"],
    ])
    func aLabelIsOneUnits(arguments: [String]) async {
        let (code, harness) = await run(arguments)
        #expect(code == 64 && harness.diagnostics.contains("--label"), "\(harness.diagnostics)")
    }
}
