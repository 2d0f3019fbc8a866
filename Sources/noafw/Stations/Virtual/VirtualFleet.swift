import Bluetooth
import Foundation
import Provisioning
import Support
import Synchronization
import VirtualDevices

/// A bench with one virtual adapter and many virtual units, each of which is played while its turn lasts.
struct VirtualFleet: Sendable {
    /// As the radio of a small computer.
    private static let linkLimit = 7
    /// In dBm: they lie beside the adapter.
    private static let strength = -40

    let names: [VirtualUnitName]
    let bench: VirtualBench
    private let played = PlayedUnits()
    private let nameOf: [DeviceAddress: VirtualUnitName]
    /// One for each name, in their order. Their mode is not known before their turn.
    let targets: [FleetTarget]

    /// Opens no folder: one that holds no unit is its own unit's fault, when its turn comes.
    /// - Throws: ``CommandError``.
    init(
        _ names: [VirtualUnitName], speed: VirtualSpeed, stateFolder: String, search: AssetSearch,
        conditions: VirtualConditions = VirtualConditions(), notice: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.names = names
        let bench = VirtualBench(
            speed: speed, stateFolder: stateFolder, search: search, conditions: conditions, notice: notice)
        let units = zip(names, try bench.distinctAddresses(of: names)).map { name, address in
            DiscoveredUnit(
                family: name.family, mode: .application, advertisedAddress: address, name: name.family.rawValue, rssi: Self.strength,
                isSupported: FamilyList.supported[name.family].map { $0.provisioning != nil || $0.network != nil } ?? false,
                insteadOfFlash: FamilyList.supported[name.family]?.insteadOfFlash)
        }
        targets = zip(units, names).map { .unit($0, id: $1.description) }
        nameOf = Dictionary(uniqueKeysWithValues: zip(units.map(\.address), names))
        self.bench = bench
    }

    /// Runs `body` in the bench's time, once.
    func run<Value: Sendable>(_ body: @escaping @Sendable (Radio.Adapter) async throws -> Value) async throws -> Value {
        let central = bench.central(adapter: VirtualAdapter(linkLimit: Self.linkLimit))
        let adapter = Radio.Adapter(fleet: FleetAdapter(name: "virtual", central: central), address: nil)
        return try await bench.air.time.run { try await body(adapter) }
    }

    var addresses: Set<DeviceAddress> { Set(nameOf.keys) }

    /// Puts the unit on the air when its turn comes: until then another station may have it.
    func presence(of address: DeviceAddress) -> some UnitPresence { TurnOfUnit(fleet: self, address: address) }

    /// Opens a unit's folder, takes it for this process, and puts the unit on the air while `body` runs. One that is there stays.
    /// - Throws: ``LinkError/busy(_:)`` while another process has it.
    func play<Value: Sendable>(_ address: DeviceAddress, _ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        // A line put it there.
        if played[address] != nil { return try await body() }
        guard let name = nameOf[address] else { throw LinkError.unavailable("no virtual unit of this run has the address \(address)") }
        return try await play(try bench.open(name), body)
    }

    func play<Value: Sendable>(
        _ unit: VirtualBench.PlayedUnit, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let address = unit.unit.address
        played.units.withLock { $0[address] = unit }
        defer {
            played.units.withLock { $0[address] = nil }
            withExtendedLifetime(unit.lock) {}
        }
        return try await withVirtualUnit(unit.unit, body: body)
    }

    /// Where a unit that is on the air answers over a network.
    /// - Throws: ``LinkError/unavailable(_:)``.
    func place(of address: DeviceAddress) throws -> String {
        guard let url = played[address]?.unit.url else { throw LinkError.unavailable("the virtual unit \(address) is in no network") }
        return url
    }

    /// Hands, voice and eyes for a unit while it is on the air.
    func sensors(of address: DeviceAddress) -> VirtualSensors {
        VirtualSensors(
            stimulate: { [played] in played[address]?.unit.stimulate($0) },
            speak: { [played] in try played[address]?.folder.setMicrophone(wav: $0) },
            show: { [played] in try played[address]?.folder.setCamera(jpeg: $0) },
            display: { [played] in played[address].map { VirtualDisplay.lines(of: $0.folder.display).map(\.text) } ?? [] },
            screen: { [played] in
                played[address].map { unit in
                    let file = unit.folder.display
                    return VirtualScreen(lines: VirtualDisplay.lines(of: file), picture: VirtualDisplay.picture(of: file))
                }
            })
    }
}

/// What stands on a virtual unit's display.
struct VirtualScreen: Sendable {
    var lines: [VirtualDisplay.Line]
    var picture: VirtualDisplay.Picture
}

/// What a person does with a virtual unit.
struct VirtualSensors: Sendable {
    var stimulate: @Sendable (UserInput) -> Void
    /// A WAV file's bytes, heard by the next recordings.
    var speak: @Sendable ([UInt8]) throws -> Void
    /// A JPEG file's bytes, seen by the next pictures.
    var show: @Sendable ([UInt8]) throws -> Void
    /// The lines on the display, from top to bottom. Untrusted text.
    var display: @Sendable () -> [String]
    /// What stands there as pixels; `nil` while the unit is not on the air.
    var screen: @Sendable () -> VirtualScreen?
}

/// Those that are on the air now.
private final class PlayedUnits: Sendable {
    let units = Mutex<[DeviceAddress: VirtualBench.PlayedUnit]>([:])

    subscript(_ address: DeviceAddress) -> VirtualBench.PlayedUnit? { units.withLock { $0[address] } }
}

private struct TurnOfUnit: UnitPresence {
    let fleet: VirtualFleet
    let address: DeviceAddress

    func during<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await fleet.play(address, body)
    }
}
