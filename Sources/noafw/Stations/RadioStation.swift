import Bluetooth
import Foundation
import Provisioning

/// A bench with a Bluetooth adapter, for the time of one command.
struct RadioStation: Sendable {
    let central: any Central
    let stateFolder: String
    var notice: @Sendable (String) -> Void = { _ in }

    /// Finds the one unit that is meant, takes it for this process, notes it, and runs `body`.
    func run<Value: Sendable>(
        _ selector: UnitSelector, families: Set<FamilyID>, _ body: (DiscoveredUnit) async throws -> Value
    ) async throws -> Value {
        let unit = try await find(selector, families: families)
        return try await own(unit.address, unit.family) { try await body(unit) }
    }

    /// Finds the one unit that is meant.
    func find(_ selector: UnitSelector, families: Set<FamilyID>, wait: Duration? = nil) async throws -> DiscoveredUnit {
        let known = try KnownUnits(stateFolder: stateFolder).load()
        try await endStaleConnections(selector, families: families, known: known)
        let addresses = Set(known.compactMap { DeviceAddress($0.address) })
        return try await UnitFinder(central: central, families: .supported).find(
            selector, families: families, known: addresses, within: wait ?? UnitFinder.timeout, leaving: { notice($0.leftAlone) })
    }

    /// Takes a unit for this process and notes it before anything is done to it.
    func own<Value: Sendable>(_ unit: DeviceAddress, _ family: FamilyID, _ body: () async throws -> Value) async throws -> Value {
        try await KnownUnits(stateFolder: stateFolder).record(family, unit, clock: central.clock)
        let lock = try UnitLock(unit: unit, stateFolder: stateFolder)
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }
}

extension DiscoveredUnit {
    /// Of a unit that noafw does not support.
    var unsupported: String {
        insteadOfFlash == nil ? "\(family.rawValue.capitalized), not supported yet" : "\(family), not written to over the air"
    }
    var leftAlone: String { "\(advertisedAddress) is a \(unsupported): it is left alone" + (insteadOfFlash.map { "; \($0)" } ?? "") }
}
