import Bluetooth
import Foundation
import Provisioning
import Support
import VirtualDevices
import VirtualFaults

/// A crowd of pagers, some with a fault, and adapters of different limits on one air of simulated time.
package struct PagerRig: Sendable {
    /// What is the matter with a unit, and what has to come of it.
    package enum Fate: Sendable, Hashable, CaseIterable {
        case healthy
        /// Holds all of it already.
        case current
        case losesLinks
        case losesPower
        case lowBattery
        /// Does not come back from its update.
        case dies
        /// Not on the air.
        case absent
    }

    package struct Unit: Sendable {
        package let address: DeviceAddress
        package let fate: Fate
        package let unit: VirtualUnit
    }

    package let pager: PagerFamily
    package let air: VirtualAir
    package let units: [Unit]
    package let adapters: [VirtualAdapter]

    /// - Parameters:
    ///   - limits: links that each adapter takes.
    ///   - faults: the share of units with a fault, 0…1.
    ///   - folder: for the units' folders.
    package init(count: Int, limits: [Int], faults: Double, seed: UInt64, folder: URL) throws {
        var numbers = SeededGenerator(seed: seed)
        let (pager, air) = (try PagerFamily(), VirtualAir(time: .simulated()))
        (self.pager, self.air) = (pager, air)
        units = try (0..<count).map { index in
            let fates = Fate.allCases.filter { $0 != .healthy }
            let fate = Double.random(in: 0..<1, using: &numbers) < faults ? fates.randomElement(using: &numbers) ?? .healthy : .healthy
            let settings = Self.settings(fate, pager, &numbers)
            let unit = try VirtualUnit.pager(
                root: folder.appendingPathComponent("\(index)"), name: "\(index)", settings: settings, air: air)
            return Unit(address: unit.address, fate: fate, unit: unit)
        }
        adapters = limits.map { limit in VirtualAdapter(linkLimit: limit) }
    }

    private static func settings(_ fate: Fate, _ pager: PagerFamily, _ numbers: inout SeededGenerator) -> PagerSettings {
        var settings = PagerSettings()
        settings.trustedKeys = pager.trustedKeys
        switch fate {
        case .healthy, .absent: break
        case .current: (settings.factoryVersion, settings.text) = (PagerFamily.version, PagerFamily.text)
        case .losesLinks:
            for _ in 0..<2 { settings.faults.cuts[Int.random(in: 1...30, using: &numbers)] = .link }
        case .losesPower: settings.faults.cuts[Int.random(in: 1...30, using: &numbers)] = .power
        case .lowBattery: settings.batteryPercent = 7
        case .dies: settings.diesByUpdate = true
        }
        return settings
    }

    package func fleetAdapters() -> [FleetAdapter] {
        adapters.enumerated().map { index, adapter in FleetAdapter(name: "hci\(index)", central: VirtualCentral(air: air, adapter: adapter))
        }
    }

    package var targets: [FleetTarget] { units.map { .address($0.address) } }

    /// Which verdict a unit's fate has to come to.
    package static func isRight(_ result: UnitResult, for fate: Fate) -> Bool {
        switch (fate, result) {
        case (.healthy, .passed), (.losesLinks, .passed), (.losesPower, .passed), (.current, .wasCurrent), (.absent, .notReached): true
        case (.lowBattery, .failed(let diagnosis)): diagnosis.code == "PRV-0005"
        case (.dies, .failed(let diagnosis)): diagnosis.fault == .unit
        default: false
        }
    }

    /// A fleet that flashes the pagers.
    package func fleet(_ policy: FleetPolicy) -> Fleet<UnitReport> {
        let (family, assets) = (pager.family, pager.assets)
        return Fleet(
            adapters: fleetAdapters(), families: FamilyList([family]), policy: policy,
            judge: Self.judge,
            work: { _, unit, central in
                try await ProvisioningJob(family: family, central: central, address: unit.address, assets: assets, options: JobOptions())
                    .run { _ in }
            })
    }

    package static let judge: Fleet<UnitReport>.Judge = { result in
        switch result {
        case .success(let report):
            if let error = report.error { return .failed(error) }
            return report.steps.contains { $0.action == .updated } ? .passed : .wasCurrent
        case .failure(let error): return .failed(diagnose(error))
        }
    }

    /// Puts the units on the air, but for the absent ones, and runs `body`.
    package func play<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await air.time.run {
            try await withThrowingTaskGroup(of: Value?.self) { group in
                for unit in units where unit.fate != .absent {
                    group.addTask {
                        try await unit.unit.run()
                        return nil
                    }
                }
                group.addTask { try await body() }
                defer { group.cancelAll() }
                while let value = try await group.next() {
                    if let value { return value }
                }
                throw CancellationError()
            }
        }
    }
}
