import Bluetooth
import Foundation
import MonocleFamily
import Provisioning
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

@testable import noafw

/// `rescue` on a virtual air, with the catalogue's own development images.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct RescueTests {
    /// A Monocle whose firmware update was interrupted, and the folder of a station.
    private func rescue(
        isKnown: Bool, device: DeviceAddress? = nil, isDryRun: Bool = false, isStranded: Bool = true,
        hasImpostor: Bool = false, isInUse: Bool = false
    ) async throws -> (RescueReport, DeviceAddress, notices: [String]) {
        let bench = try ToolBench()
        defer { bench.remove() }
        let folder = try UnitFolder.monocle(root: bench.state.appendingPathComponent("unit"), name: "stranded")
        if isStranded {
            try JSONEncoder().encode(BootloaderStorage()).write(to: folder.root.appendingPathComponent("bootloader.json"))
        }
        let search = AssetSearch(given: TestTools.root.path, environment: [:], currentDirectory: "/", executable: nil)
        let inputs = AssetInputs(search: search, allowsDevelopment: true)
        var configuration = UnitConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv"))
        configuration.trustedKeys.append(try DevelopmentKey.bigEndian())
        let air = VirtualAir(time: .simulated())
        let monocle = try VirtualDevices.VirtualUnit.monocle(folder: folder, configuration: configuration, air: air)
        if isKnown { try await KnownUnits(stateFolder: bench.state.path).record(.monocle, monocle.address) }
        let lock = isInUse ? try Provisioning.UnitLock(unit: monocle.address, stateFolder: bench.state.path) : nil
        defer { withExtendedLifetime(lock) {} }
        var options = JobOptions()
        options.components = [.firmware, .scripts]
        options.dryRun = isDryRun
        let request = FlashRequest(
            fleet: UnitSelection(units: .one(device.map { .address($0) } ?? .only), jobsPerAdapter: 1), inputs: inputs, options: options,
            stateFolder: bench.state.path)
        let notices = Mutex<[String]>([])
        let report = try await air.time.run {
            try await withVirtualUnit(monocle) {
                let central: any Central = hasImpostor
                    ? CrowdedCentral(VirtualCentral(air: air), adding: monocle.address.bootloader) : VirtualCentral(air: air)
                let station = Station.played(request.fleet, [FleetAdapter(name: "virtual", central: central)], at: bench.state.path)
                return try await LiveServices().rescue(request, at: station) { event in
                    if let text = event.notice { notices.withLock { $0.append(text) } }
                }
            }
        }
        return (report, monocle.address, notices.withLock { $0 })
    }

    @Test func aKnownUnitIsFinished() async throws {
        let (report, address, notices) = try await rescue(isKnown: true)
        #expect(report.passed, "\(report)")
        #expect(report.fleet.entries.map(\.unit.address) == [address])
        #expect(report.fleet.entries.first?.report?.steps.map(\.action) == [.updated, .skipped, .updated])
        #expect(notices.contains("\(address) (monocle) is stranded in its bootloader"))
    }

    @Test func aUnitThatAnotherProcessFinishesIsInUse() async throws {
        let (report, address, _) = try await rescue(isKnown: true, isInUse: true)
        #expect(report.fleet.entries.map(\.unit.address) == [address] && report.fleet.entries.map(\.verdict) == [.inUse], "\(report)")
    }

    @Test func aStrangerIsLeftAlone() async throws {
        let (report, address, _) = try await rescue(isKnown: false)
        #expect(report.fleet.entries.isEmpty)
        #expect(report.heard.strangers.map(\.address) == [address])
    }

    @Test func aNamedStrangerIsFinishedAndKnownFromThenOn() async throws {
        let address = try UnitFolderAddress.stranded()
        let (report, found, _) = try await rescue(isKnown: false, device: address)
        #expect(found == address)
        #expect(report.passed && report.fleet.entries.count == 1, "\(report)")
    }

    @Test func aNamedUnitThatRunsIsNotStranded() async throws {
        let address = try UnitFolderAddress.stranded()
        let (report, _, _) = try await rescue(isKnown: true, device: address, isStranded: false)
        #expect(report.passed && report.fleet.entries.isEmpty)
        #expect(report.heard.running?.address == address)
    }

    /// A stranger that calls itself DfuTarg at the address after a healthy unit's.
    @Test(arguments: [true, false])
    func aUnitWhoseApplicationIsHeardIsNotStranded(isNamed: Bool) async throws {
        let address = try UnitFolderAddress.stranded()
        for named in [address, address.bootloader] where isNamed || named == address {
            let (report, _, notices) = try await rescue(
                isKnown: true, device: isNamed ? named : nil, isStranded: false, hasImpostor: true)
            #expect(report.fleet.entries.isEmpty && notices.isEmpty, "\(report)")
            #expect(report.heard.impostors.map(\.advertisedAddress) == [address.bootloader])
            #expect(!report.passed)
            let fleet = FleetRunResult(report: report.fleet, seconds: 6)
            let result = RescuePresentation.Result(fleet: fleet, heard: report.heard, passed: report.passed)
            #expect(RescuePresentation().errors(of: result).map(\.code) == ["PRV-0027"])
        }
    }

    @Test func aNamedUnitThatNobodyHearsIsAnError() async throws {
        let absent = try #require(DeviceAddress("E1:00:00:00:00:09"))
        let error = await #expect(throws: UnitSelectionError.self) { try await rescue(isKnown: true, device: absent) }
        guard case .noneAtAddress(absent, let units) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(units.count == 1, "the stranded one that is there is listed")
    }

    @Test func dryRunChangesNothing() async throws {
        let (report, _, _) = try await rescue(isKnown: true, isDryRun: true)
        #expect(report.passed)
        #expect(report.fleet.entries.first?.report?.steps.map(\.action) == [.planned, .skipped, .planned])
    }
}

private enum DevelopmentKey {
    static func bigEndian() throws -> [UInt8] {
        let search = AssetSearch(given: TestTools.root.path, environment: [:], currentDirectory: "/")
        return try #require(search.bootloaderKeys(for: .monocle).first)
    }
}

private enum UnitFolderAddress {
    /// A unit's address follows from its name.
    static func stranded() throws -> DeviceAddress {
        let bench = try ToolBench()
        defer { bench.remove() }
        let folder = try UnitFolder.monocle(root: bench.state.appendingPathComponent("unit"), name: "stranded")
        let configuration = UnitConfiguration(python: "/nowhere")
        return try VirtualDevices.VirtualUnit.monocle(folder: folder, configuration: configuration, air: VirtualAir(time: .simulated()))
            .address
    }
}
