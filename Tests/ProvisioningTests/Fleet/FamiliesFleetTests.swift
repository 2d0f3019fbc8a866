import Bluetooth
import DFU
import FleetRig
import Foundation
import FrameFamily
import MonocleFamily
import Provisioning
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

/// Units of all families on one air at once, each with a fault of its own.
@Suite(
    .enabled(
        if: TestTools.mayRunMicroPython && TestTools.mayRunFrameLua,
        "MicroPython or the virtual Frame's Lua is missing: run Tools/setup tests"),
    .serialized)
struct FamiliesFleetTests {
    private enum Fate: CaseIterable {
        case healthy, losesLinks, losesPower, lowBattery, absent
    }

    private struct Unit: Sendable {
        let unit: VirtualUnit
        let family: FamilyID
        let fate: Fate
    }

    private static let version = "v26.300.1200"

    /// What the units are brought to.
    private struct Wanted: Sendable {
        let pager: PagerFamily
        let assets: [FamilyID: AssetSet]
        let key: [UInt8]

        init() throws {
            let key = try SigningKey.generate()
            func firmware(_ size: Int, _ target: DFUTarget, number: UInt32) throws -> FirmwareAsset {
                var image = SeededNumbers.bytes(size, seed: 7)
                image.replaceSubrange(1000..<1014, with: [0] + Array(version.utf8) + [0])
                let packet = try InitPacketBuilder(image: image, firmwareVersion: number, target: target).signed(by: key)
                let package = try DFUPackage(bytes: try DFUPackageWriter(image: image, initPacket: packet).archive())
                return try FirmwareAsset(package: package, version: nil, target: target, trusting: [key.trusted(as: "test")])
            }
            let monocle = try ScriptSet(
                files: [.init(name: "main.py", bytes: Array("import time\nwhile True:\n    time.sleep(1)\n".utf8))], family: .monocle)
            let frame = try ScriptSet(files: [.init(name: "main.lua", bytes: Array(FamiliesFleetTests.frameProgram.utf8))], family: .frame)
            let coordinates = key.publicCoordinates
            self.key = coordinates.prefix(32).reversed() + coordinates.dropFirst(32).reversed()
            pager = try PagerFamily()
            assets = [
                "monocle": AssetSet(try firmware(20_000, .monocle, number: 1), monocle),
                "frame": AssetSet(try firmware(300_000, .frame, number: 0), frame), "pager": pager.assets,
            ]
        }

        var families: [Family] { [.monocle, .frame, pager.family] }
    }

    private static let frameProgram = """
        local asked = false
        local function tell() pcall(frame.bluetooth.send, "\\x18" .. ARGPT_VERSION) end
        frame.bluetooth.receive_callback(function(data) if data == "\\x17" then asked = true end end)
        tell()
        while true do
            if asked then asked = false tell() end
            frame.sleep(0.05)
        end
        """

    private func makeUnit(
        _ family: FamilyID, _ fate: Fate, at root: URL, _ wanted: Wanted, _ air: VirtualAir, _ numbers: inout SeededNumbers
    ) throws -> Unit {
        var faults = FaultPlan()
        let reach = family == "pager" ? 30 : 200
        switch fate {
        case .losesLinks: for _ in 0..<2 { faults.cuts[Int.random(in: 1...reach, using: &numbers)] = .link }
        case .losesPower: faults.cuts[Int.random(in: 1...reach, using: &numbers)] = .power
        case .healthy, .lowBattery, .absent: break
        }
        let (python, name) = (try TestTools.require(TestTools.python, "the Python of .venv"), root.lastPathComponent)
        let unit: VirtualUnit
        switch family {
        case "monocle":
            var configuration = UnitConfiguration(python: python)
            configuration.trustedKeys.append(wanted.key)
            configuration.faults = faults
            unit = try .monocle(folder: try UnitFolder.monocle(root: root, name: name), configuration: configuration, air: air)
        case "frame":
            var configuration = UnitConfiguration(python: python)
            configuration.trustedKeys.append(wanted.key)
            configuration.faults = faults
            unit = try .frame(
                folder: try UnitFolder.frame(root: root, name: name, firmware: .v25_080), configuration: configuration, air: air)
        default:
            var settings = PagerSettings()
            (settings.trustedKeys, settings.faults) = (wanted.pager.trustedKeys, faults)
            if fate == .lowBattery { settings.batteryPercent = 7 }
            return Unit(unit: try .pager(root: root, name: name, settings: settings, air: air), family: family, fate: fate)
        }
        if fate == .lowBattery { try discharge(root) }
        return Unit(unit: unit, family: family, fate: fate)
    }

    private func discharge(_ root: URL) throws {
        let file = root.appendingPathComponent("unit.json")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        try Data(text.replacing(#""batteryPercent":80"#, with: #""batteryPercent":7"#).utf8).write(to: file)
    }

    private func isRight(_ ending: UnitResult, _ fate: Fate) -> Bool {
        switch (fate, ending) {
        case (.healthy, .passed), (.losesLinks, .passed), (.losesPower, .passed), (.absent, .notReached): true
        case (.lowBattery, .failed(let diagnosis)): diagnosis.code == "PRV-0005"
        default: false
        }
    }

    @Test func everyVerdictIsRight() async throws {
        let (folder, wanted, air) = (try TemporaryFolder(), try Wanted(), VirtualAir(time: .simulated()))
        var numbers = SeededNumbers(seed: 20)
        let count = TestRange.isFull ? 20 : 9
        let families: [FamilyID] = ["monocle", "frame", "pager"]
        let units = try (0..<count).map { index in
            try makeUnit(
                families[index % 3], Fate.allCases[(index + index / 3) % 5], at: folder.url.appendingPathComponent("unit-\(index)"), wanted,
                air,
                &numbers)
        }
        let bonds = BondStore()
        let adapters = [VirtualAdapter(linkLimit: 3), VirtualAdapter(linkLimit: 5)]
        var policy = FleetPolicy()
        (policy.limits.inARow, policy.limits.share, policy.seed) = (0, nil, 3)
        let fleet = Fleet<UnitReport>(
            adapters: adapters.enumerated().map {
                FleetAdapter(name: "hci\($0)", central: VirtualCentral(air: air, adapter: $1, bonds: bonds))
            },
            families: FamilyList(wanted.families), policy: policy, judge: PagerRig.judge
        ) { _, unit, central in
            guard let family = wanted.families.first(where: { $0.id == unit.family }), let assets = wanted.assets[unit.family] else {
                throw LinkError.unavailable("no family")
            }
            return try await ProvisioningJob(family: family, central: central, address: unit.address, assets: assets, options: JobOptions())
                .run { _ in }
        }
        let result = try await air.time.run {
            try await withThrowingTaskGroup(of: FleetReport<UnitReport>?.self) { group in
                for unit in units where unit.fate != .absent {
                    group.addTask {
                        try await unit.unit.run()
                        return nil
                    }
                }
                group.addTask { await fleet.run(units.map { .address($0.unit.address) }) }
                defer { group.cancelAll() }
                while let result = try await group.next() { if let result { return result } }
                throw CancellationError()
            }
        }
        for (unit, outcome) in zip(units, result.entries) {
            #expect(isRight(outcome.result, unit.fate), "\(unit.family) \(unit.fate): \(outcome.result)")
            if case .passed = outcome.result {
                #expect(outcome.report?.family == unit.family && outcome.report?.identity.address == unit.unit.address)
            }
        }
        #expect(adapters.allSatisfy { $0.figures.collisions == 0 && $0.figures.mostLinks <= $0.linkLimit && $0.figures.connects > 0 })
    }
}
