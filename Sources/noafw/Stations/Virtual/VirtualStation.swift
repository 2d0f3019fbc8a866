import Bluetooth
import Provisioning
import Support
import VirtualDevices

/// A bench with one virtual unit on it, for the time of one command.
struct VirtualStation {
    let support: SupportedFamily
    private let bench: VirtualBench
    private let played: VirtualBench.PlayedUnit

    /// - Parameter notice: gets what the operator should know of a bond.
    init(
        _ selection: VirtualUnitSelection, stateFolder: String, search: AssetSearch, notice: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        bench = VirtualBench(speed: selection.speed, stateFolder: stateFolder, search: search, notice: notice)
        (support, _) = try bench.support(of: selection.name)
        played = try bench.open(selection.name)
    }

    var unit: VirtualDevices.VirtualUnit { played.unit }
    var folder: UnitFolder { played.folder }
    var address: DeviceAddress { unit.address }

    /// - Returns: whether the host had a key of the unit.
    func forgetBond() throws -> Bool {
        defer { withExtendedLifetime(played.lock) {} }
        let hadKey = try bench.bonds.key(for: unit.address) != nil
        try bench.bonds.forget(unit.address)
        return hadKey
    }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable (any Central, DeviceAddress) async throws -> Value
    ) async throws -> Value {
        let (central, unit) = (bench.central(), unit)
        defer { withExtendedLifetime(played.lock) {} }
        return try await bench.air.time.run {
            try await withVirtualUnit(unit) {
                try await body(central, unit.address)
            }
        }
    }
}
