import Bluetooth
import Foundation
import Provisioning
import Support
import TestSupport
import VirtualDevices

@testable import KeyboardFamily

/// Virtual keyboards on one air in simulated time; their HTTP is real, over the loopback.
struct OTABench: Sendable {
    let folder: TemporaryFolder
    let air = VirtualAir(time: .simulated())
    let units: [VirtualUnit]

    init(_ faults: KeyboardNetworkFaults..., knowsWiFi: Bool = true) throws {
        folder = try TemporaryFolder()
        let (root, air) = (folder.url, air)
        units = try (faults.isEmpty ? [KeyboardNetworkFaults()] : faults).enumerated().map { index, faults in
            var settings = KeyboardSettings()
            (settings.network, settings.knowsWiFi) = (faults, knowsWiFi)
            let unitFolder = try UnitFolder.keyboard(root: root.appendingPathComponent("\(index)"), name: "\(index)")
            return try VirtualUnit.keyboard(folder: unitFolder, configuration: UnitConfiguration(), settings: settings, air: air)
        }
    }

    /// Runs `body` with all of them on the air.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await air.time.run {
            try await withThrowingTaskGroup(of: Value?.self) { group in
                for unit in units {
                    group.addTask {
                        try await unit.run()
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

    /// - Parameter place: whose URL is given; the unit's own by default.
    func family(at place: Int = 0) -> Family {
        let url = units[place].url ?? ""
        return Family.keyboard.reached { url }
    }

    func flash(
        _ image: [UInt8], at place: Int = 0, _ options: JobOptions = JobOptions(),
        _ report: @escaping @Sendable (RunEvent) -> Void = { _ in }
    ) async throws -> UnitReport {
        let job = try ProvisioningJob(
            family: family(at: place), central: VirtualCentral(air: air), address: units[0].address,
            assets: AssetSet(KeyboardFirmware(image)), options: options)
        return try await job.run(report: report)
    }

    func verify(_ image: [UInt8]) async throws -> VerifyReport {
        try await VerifyJob(
            family: family(), central: VirtualCentral(air: air), address: units[0].address, assets: AssetSet(KeyboardFirmware(image)),
            isDeep: false
        ).run { _ in }
    }

    func status(of unit: Int = 0) async throws -> KeyboardStatus { try KeyboardStatus(try await http(unit).get("/status")) }

    func http(_ unit: Int = 0) throws -> UnitHTTP { UnitHTTP(url: try UnitURL(units[unit].url ?? ""), clock: air.time.clock) }

    /// What is in a slot; `nil` for one that was never written.
    func slot(_ number: Int) -> [UInt8]? { try? folder.read("0/ota_\(number).bin") }
}

extension UnitReport {
    var firmware: String? { identity.versions[.firmware] }
}
