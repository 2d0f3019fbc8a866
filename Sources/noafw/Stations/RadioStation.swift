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
        _ wish: UnitWish, families: Set<DeviceFamily>, _ body: (SightedUnit) async throws -> Value
    ) async throws -> Value {
        let known = try KnownUnits(stateFolder: stateFolder).addresses()
        try await endStaleConnections(wish, families: families)
        let unit = try await UnitFinder(central: central).find(wish, families: families, known: known)
        return try await own(unit) { try await body(unit) }
    }

    /// Takes a unit for this process and notes it before anything is done to it.
    func own<Value: Sendable>(_ unit: SightedUnit, _ body: () async throws -> Value) async throws -> Value {
        try await KnownUnits(stateFolder: stateFolder).record(unit.family, unit.address, clock: central.clock)
        let lock = try StationLock(unit: unit.address, stateFolder: stateFolder)
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }
}
