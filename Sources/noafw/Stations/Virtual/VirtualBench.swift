import Bluetooth
import Cryptography
import Foundation
import Provisioning
import Support
import VirtualDevices

/// What a test says of the virtual units of a command.
struct VirtualConditions: Sendable {
    /// Of units that are as fast as possible.
    var simulatedTime: @Sendable () -> VirtualTime = { .simulated() }
    /// Gets a unit's configuration before it is played.
    var prepare: @Sendable (VirtualUnitName, VirtualAir, inout UnitConfiguration) -> Void = { _, _, _ in }
}

/// The air, the pace and the folders of the virtual units of one command.
struct VirtualBench: Sendable {
    /// A unit that this process has taken.
    struct PlayedUnit: Sendable {
        let unit: VirtualDevices.VirtualUnit
        let folder: UnitFolder
        let lock: VirtualDevices.UnitLock
    }

    let air: VirtualAir
    /// The host's, of all its virtual units.
    let bonds: BondStore
    private let root: URL
    private let search: AssetSearch
    private let conditions: VirtualConditions
    private let notice: @Sendable (String) -> Void

    /// - Parameter notice: gets what the operator should know of a bond.
    init(
        speed: VirtualSpeed, stateFolder: String, search: AssetSearch, conditions: VirtualConditions,
        notice: @escaping @Sendable (String) -> Void
    ) {
        let time: VirtualTime = switch speed {
        case .times(let factor): .real(speed: factor)
        case .maximum: conditions.simulatedTime()
        }
        air = VirtualAir(time: time)
        root = URL(fileURLWithPath: stateFolder)
        bonds = BondStore(folder: root.appendingPathComponent("virtual-bonds", isDirectory: true))
        self.search = search
        self.conditions = conditions
        self.notice = notice
    }

    func central(adapter: VirtualAdapter? = nil) -> VirtualCentral {
        VirtualCentral(air: air, adapter: adapter, bonds: bonds, notice: notice)
    }

    /// - Throws: ``CommandError/unsupported(_:family:)``.
    func support(of name: VirtualUnitName) throws -> (SupportedFamily, VirtualModel) {
        guard let support = SupportedFamily[name.family], let model = support.virtual else {
            throw CommandError.unsupported("virtual unit", family: name.family)
        }
        return (support, model)
    }

    /// Of a unit whose folder need not be there yet.
    func address(of name: VirtualUnitName) throws -> DeviceAddress {
        _ = try support(of: name)
        let folder = folder(of: name)
        guard let address = try UnitFolder.address(root: folder, name: name.name, family: name.family.rawValue) else {
            throw CommandError.virtualUnitNotOpened(folder: folder.path, reason: "it holds no address")
        }
        return address
    }

    /// As ``address(of:)``; of a folder that tells none, the address of a new unit.
    func expectedAddress(of name: VirtualUnitName) throws -> DeviceAddress {
        _ = try support(of: name)
        do { return try address(of: name) } catch {
            guard let address = UnitFolder.usualAddress(name: name.name, family: name.family.rawValue) else { throw error }
            return address
        }
    }

    /// Of units of one run, in their order: two of one address would be one unit to it.
    /// - Throws: ``CommandError/sameVirtualUnit(_:folders:)``.
    func distinctAddresses(of names: [VirtualUnitName]) throws -> [DeviceAddress] {
        var holders: [DeviceAddress: VirtualUnitName] = [:]
        return try names.map { name in
            let address = try expectedAddress(of: name)
            if let other = holders.updateValue(name, forKey: address) {
                throw CommandError.sameVirtualUnit(address, folders: [other, name].map { folder(of: $0).path })
            }
            return address
        }
    }

    /// Opens a unit's folder, or makes a factory-new unit there, and takes it for this process.
    /// - Throws: ``LinkError/busy(_:)`` while another process has it.
    func open(_ name: VirtualUnitName) throws -> PlayedUnit {
        let (_, model) = try support(of: name)
        let root = folder(of: name)
        do {
            let folder = try model.openFolder(root, name.name)
            let lock = try folder.lock()
            var configuration = try search.configuration(of: name.family, interprets: model.versionCommand != nil)
            conditions.prepare(name, air, &configuration)
            return PlayedUnit(unit: try model.makeUnit(folder, configuration, air), folder: folder, lock: lock)
        } catch let error as any DiagnosableError {
            throw error
        } catch {
            throw CommandError.virtualUnitNotOpened(folder: root.path, reason: SystemError.text(error))
        }
    }

    private func folder(of name: VirtualUnitName) -> URL {
        root.appendingPathComponent("virtual/\(name.family)/\(name.name)", isDirectory: true)
    }
}

extension AssetSearch {
    /// - Throws: where there is no Python to play a unit with.
    fileprivate func configuration(of family: FamilyID, interprets: Bool) throws -> UnitConfiguration {
        var configuration = UnitConfiguration(python: interprets ? try InterpreterSearch(search: self).python() : "")
        configuration.trustedKeys = bootloaderKeys(for: family)
        configuration.fpgaVersions = (try? locate().fpgaVersions(for: family.rawValue)) ?? [:]
        return configuration
    }

    /// What a virtual unit's bootloader trusts beside the vendor's key: the key that the catalogue's package is signed with, if it
    /// names one. 64 bytes each, x then y, big-endian.
    func bootloaderKeys(for family: FamilyID) -> [[UInt8]] {
        guard let pem = try? locate().firmware(for: family.rawValue).key?.bytes,
            let key = P256.PublicKey(pem: pem) ?? P256.PrivateKey(pem: pem)?.publicKey
        else { return [] }
        return [key.point]
    }
}
