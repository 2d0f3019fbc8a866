import Bluetooth
import Foundation
import FrameFamily
import MonocleFamily
import Provisioning
import ScriptBundle
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

@testable import noafw

/// Which family a unit on the air has: its advertisement decides, `--family` narrows, and what is ambiguous is told.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct FamilySelectionTests {
    private struct Bench {
        let monocle: VirtualDevices.VirtualUnit
        let frame: VirtualDevices.VirtualUnit
        let central: VirtualCentral
        let folder: TemporaryFolder

        /// Packets that have reached either unit.
        var delivered: Int { monocle.deliveredPackets + frame.deliveredPackets }

        func station(_ family: FamilyID?) -> Station {
            .played(UnitSelection(units: .one(.only), family: family), [FleetAdapter(name: "hci0", central: central)], at: folder.path)
        }
    }

    /// A Monocle, a Frame or both on one air.
    private static func with<Value: Sendable>(
        _ present: Set<FamilyID> = ["monocle", "frame"], _ body: @escaping @Sendable (Bench) async throws -> Value
    ) async throws -> Value {
        let folder = try TemporaryFolder()
        let python = try TestTools.require(TestTools.python, "the Python of .venv")
        let air = VirtualAir(time: .simulated())
        let monocle = try VirtualDevices.VirtualUnit.monocle(
            folder: .monocle(root: folder.url.appendingPathComponent("monocle"), name: "one"),
            configuration: UnitConfiguration(python: python), air: air)
        let frame = try VirtualDevices.VirtualUnit.frame(
            folder: .frame(root: folder.url.appendingPathComponent("frame"), name: "two"),
            configuration: UnitConfiguration(python: python), air: air)
        let bench = Bench(monocle: monocle, frame: frame, central: VirtualCentral(air: air), folder: folder)
        return try await air.time.run {
            switch (present.contains("monocle"), present.contains("frame")) {
            case (true, true):
                try await withVirtualUnit(monocle) { try await withVirtualUnit(frame) { try await body(bench) } }
            case (true, false): try await withVirtualUnit(monocle) { try await body(bench) }
            default: try await withVirtualUnit(frame) { try await body(bench) }
            }
        }
    }

    private static func find(
        _ family: FamilyID?, on bench: Bench, _ events: @escaping @Sendable (RunEvent) -> Void = { _ in }
    ) async throws -> (FamilyID, DeviceAddress) {
        let unit = try await bench.station(family).onlyUnit(events: events)
        return (unit.family.id, unit.address)
    }

    @Test func theAdvertisementDecides() async throws {
        for family in ["monocle", "frame"] as [FamilyID] {
            let told = Mutex<[FamilyID]>([])
            let (found, address) = try await Self.with([family]) { bench in
                let found = try await Self.find(nil, on: bench) { event in
                    if case .found(let family) = event.content { told.withLock { $0.append(family) } }
                }
                #expect(found.1 == (family == "frame" ? bench.frame.address : bench.monocle.address))
                return found
            }
            #expect(found == family && told.withLock { $0 } == [family], "\(address)")
        }
    }

    @Test func bothInReachAreTold() async throws {
        let error = try await Self.with { bench in
            await #expect(throws: UnitSelectionError.self) { try await Self.find(nil, on: bench) }
        }
        guard case .several(let units) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(Set(units.map(\.family)) == ["monocle", "frame"])
        #expect(error?.diagnosis.message.contains("(frame, ") == true && error?.diagnosis.message.contains("(monocle, ") == true)
    }

    @Test func theOptionNarrows() async throws {
        try await Self.with { bench in
            let (frame, monocle) = (try await Self.find("frame", on: bench), try await Self.find("monocle", on: bench))
            #expect(frame.1 == bench.frame.address && monocle.1 == bench.monocle.address)
        }
        try await Self.with(["monocle"]) { bench in
            let error = await #expect(throws: UnitSelectionError.self) { try await Self.find("frame", on: bench) }
            guard case .otherFamily(let other) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(other.family == "monocle")
        }
    }

    // MARK: - Files of another family

    private static func bundle(_ family: ScriptFamily, in folder: TemporaryFolder) throws -> String {
        let set = try ScriptSet(files: [.init(name: family.mainName, bytes: [10])], family: family, order: .app)
        let file = folder.url.appendingPathComponent("\(family.name).zip")
        try Data(BundleRecipe(scripts: set, tool: "1").archive(signedBy: nil)).write(to: file)
        return file.path
    }

    private static func inputs(_ bundle: String) -> AssetInputs {
        AssetInputs(
            bundle: bundle, search: AssetSearch(given: TestTools.root.path, environment: [:], currentDirectory: "/", executable: nil))
    }

    /// What `flash` does once a unit was found on the air.
    @Test(arguments: [(ScriptFamily.monocle, "frame"), (.frame, "monocle")] as [(ScriptFamily, FamilyID)])
    func aBundleForAnotherFamilyIsRefusedBeforeTheUnitIsTouched(bundle: ScriptFamily, unit: FamilyID) async throws {
        try await Self.with([unit]) { bench in
            let station = bench.station(nil)
            let choice = try AssetChoice(
                nil, for: station.selection.families.map(\.family), from: Self.inputs(try Self.bundle(bundle, in: bench.folder)),
                allowsDevelopment: true)
            let error = await #expect(throws: BundleError.self) {
                let found = try await station.onlyUnit(events: { _ in })
                let assets = try choice.assets(for: found.family.id, events: { _ in })
                return try await LiveServices().provision(
                    "flash", found, with: assets, JobOptions(), UnitRun(stateFolder: bench.folder.path, events: { _ in }))
            }
            #expect(error?.diagnosis.code == "BND-0005")
            #expect(bench.delivered == 0)
        }
    }

    /// A virtual unit's family is known before: it is not even made.
    @Test(arguments: [(ScriptFamily.monocle, "frame"), (.frame, "monocle")] as [(ScriptFamily, FamilyID)])
    func aBundleForAnotherFamilyMakesNoVirtualUnit(bundle: ScriptFamily, unit: FamilyID) async throws {
        let folder = try TemporaryFolder()
        let state = folder.path + "/state"
        let request = FlashRequest(
            fleet: UnitSelection(units: .virtual([VirtualUnitName(family: unit, name: "one")], .maximum)),
            inputs: Self.inputs(try Self.bundle(bundle, in: folder)), options: JobOptions(), stateFolder: state)
        let error = await #expect(throws: BundleError.self) { try await LiveServices().flash(request, events: { _ in }) }
        #expect(error?.diagnosis.code == "BND-0005")
        #expect(!FileManager.default.fileExists(atPath: state))
    }

    /// What no family's unit could be given is told before the air is listened to.
    @Test func whatIsWrongForEachFamilyIsToldAtOnce() throws {
        do {
            _ = try AssetChoice(
                [.scripts], for: FamilyList.supported.provisioned, from: Self.inputs("/nowhere/x.zip"), allowsDevelopment: true)
            Issue.record("there is no such file")
        } catch {
            #expect(diagnose(error).category == .missingInput)
        }
    }
}
