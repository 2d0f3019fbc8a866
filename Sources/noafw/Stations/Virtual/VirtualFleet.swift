import Bluetooth
import Foundation
import Provisioning
import Support
import VirtualDevices

/// A bench with one virtual adapter and many virtual units, each of which is played while its turn lasts.
struct VirtualFleet: Sendable {
    /// As the radio of a small computer.
    private static let linkLimit = 7
    /// In dBm: they lie beside the adapter.
    private static let strength = -40

    let names: [VirtualUnitName]
    private let bench: VirtualBench
    private let nameOf: [DeviceAddress: VirtualUnitName]
    /// One for each name, in their order. Their mode is not known before their turn.
    let targets: [FleetTarget]

    /// Opens no folder: one that holds no unit is its own unit's fault, when its turn comes.
    /// - Throws: ``CommandError``.
    init(
        _ names: [VirtualUnitName], speed: VirtualSpeed, stateFolder: String, search: AssetSearch,
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.names = names
        let bench = VirtualBench(speed: speed, stateFolder: stateFolder, search: search, notice: notice)
        let units = zip(names, try bench.distinctAddresses(of: names)).map { name, address in
            DiscoveredUnit(
                family: name.family, mode: .application, advertisedAddress: address, name: name.family.rawValue, rssi: Self.strength)
        }
        targets = zip(units, names).map { .unit($0, id: $1.description) }
        nameOf = Dictionary(uniqueKeysWithValues: zip(units.map(\.address), names))
        self.bench = bench
    }

    /// The unit's name, by its address.
    func name(of address: DeviceAddress) -> VirtualUnitName? { nameOf[address] }

    /// Runs `body` in the bench's time, once.
    func run<Value: Sendable>(_ body: @escaping @Sendable (FleetAdapter) async throws -> Value) async throws -> Value {
        let adapter = FleetAdapter(name: "virtual", central: bench.central(adapter: VirtualAdapter(linkLimit: Self.linkLimit)))
        return try await bench.air.time.run { try await body(adapter) }
    }

    /// Puts the unit on the air when its turn comes: until then another station may have it.
    func presence(of address: DeviceAddress) -> some UnitPresence { TurnOfUnit(fleet: self, address: address) }

    /// Opens a unit's folder, takes it for this process, and puts the unit on the air while `body` runs.
    /// - Throws: ``LinkError/busy(_:)`` while another process has it.
    func play<Value: Sendable>(_ address: DeviceAddress, _ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let name = nameOf[address] else { throw LinkError.unavailable("no virtual unit of this run has the address \(address)") }
        let played = try bench.open(name)
        defer { withExtendedLifetime(played.lock) {} }
        return try await withVirtualUnit(played.unit, body: body)
    }
}

private struct TurnOfUnit: UnitPresence {
    let fleet: VirtualFleet
    let address: DeviceAddress

    func during<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await fleet.play(address, body)
    }
}
