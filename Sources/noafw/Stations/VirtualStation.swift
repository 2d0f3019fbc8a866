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
    private let lock: VirtualDevices.UnitLock

    init(_ selection: VirtualUnitSelection, stateFolder: String, search: AssetSearch) throws {
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

    func run<Value: Sendable>(
        _ body: @escaping @Sendable (any Central, DeviceAddress) async throws -> Value
    ) async throws -> Value {
        let (air, unit) = (air, unit)
        defer { withExtendedLifetime(lock) {} }
        return try await air.time.run {
            try await withVirtualUnit(unit) {
                try await body(VirtualCentral(air: air), unit.address)
            }
        }
    }
}
