import Bluetooth
import Provisioning
import Support
import VirtualDevices

/// A bench with one virtual unit on it, for the time of one command.
struct VirtualStation {
    let support: SupportedFamily
    private let bench: VirtualBench
    private let played: VirtualBench.PlayedUnit

    private static let restartTimeout = Duration.seconds(10)
    /// A unit without a bond formats its files when its program is due.
    private static let formattingTime = Duration.seconds(1)

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

    /// What a person does to make the unit forget its bond. Returns when its application is on the air again.
    /// - Throws: ``ProvisioningError/unitNotFound(_:)`` when it does not come up, as in its bootloader.
    func pressCradleButton() async throws {
        let unit = unit
        try await run { central, address in
            unit.stimulate(.unpair)
            let discovery = try await central.discover()
            let deadline = central.clock.deadline(in: Self.restartTimeout)
            var isBack = false
            while !isBack, let sighting = try await discovery.sightings.next(before: deadline, on: central.clock) {
                isBack = sighting.address == address
            }
            await discovery.stop()
            guard isBack else { throw ProvisioningError.unitNotFound(address) }
            try await central.clock.sleep(until: central.clock.deadline(in: Self.formattingTime))
        }
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
