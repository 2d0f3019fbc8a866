import Bluetooth
import Foundation
import Provisioning
import Support
import VirtualDevices

/// A bench with one virtual unit on it, for the time of one command.
struct VirtualStation {
    let support: SupportedFamily
    let unit: VirtualDevices.VirtualUnit
    private let air: VirtualAir
    let folder: UnitFolder
    /// The host's, of all its virtual units.
    private let bonds: BondStore
    private let notice: @Sendable (String) -> Void
    private let lock: VirtualDevices.UnitLock

    /// - Parameter notice: gets what the operator should know of a bond.
    init(
        _ selection: VirtualUnitSelection, stateFolder: String, search: AssetSearch, notice: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        guard let support = SupportedFamily[selection.name.family], let model = support.virtual else {
            throw CommandError.unsupported("virtual unit", family: selection.name.family)
        }
        self.support = support
        let root = URL(fileURLWithPath: stateFolder)
            .appendingPathComponent("virtual/\(selection.name.family)/\(selection.name.name)", isDirectory: true)
        let time: VirtualTime = switch selection.speed {
        case .times(let factor): .real(speed: factor)
        case .maximum: .simulated()
        }
        air = VirtualAir(time: time)
        bonds = BondStore(folder: URL(fileURLWithPath: stateFolder).appendingPathComponent("virtual-bonds", isDirectory: true))
        self.notice = notice
        do {
            folder = try model.openFolder(root, selection.name.name)
            lock = try folder.lock()
            unit = try model.makeUnit(folder, search, air)
        } catch let error as any DiagnosableError {
            throw error
        } catch {
            throw CommandError.virtualUnitNotOpened(folder: root.path, reason: "\(error)")
        }
    }

    private static let restartTimeout = Duration.seconds(10)
    /// A unit without a bond formats its files when its program is due.
    private static let formattingTime = Duration.seconds(1)

    var address: DeviceAddress { unit.address }

    /// - Returns: whether the host had a key of the unit.
    func forgetBond() throws -> Bool {
        defer { withExtendedLifetime(lock) {} }
        let hadKey = try bonds.key(for: unit.address) != nil
        try bonds.forget(unit.address)
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
        let central = VirtualCentral(air: air, bonds: bonds, notice: notice)
        let (air, unit) = (air, unit)
        defer { withExtendedLifetime(lock) {} }
        return try await air.time.run {
            try await withVirtualUnit(unit) {
                try await body(central, unit.address)
            }
        }
    }
}
