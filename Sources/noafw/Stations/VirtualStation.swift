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

    var address: DeviceAddress { unit.address }

    /// - Returns: whether the host had a key of the unit.
    func forgetBond() throws -> Bool {
        defer { withExtendedLifetime(lock) {} }
        let hadKey = try bonds.key(for: unit.address) != nil
        try bonds.forget(unit.address)
        return hadKey
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
