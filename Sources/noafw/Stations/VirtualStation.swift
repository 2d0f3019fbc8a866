import Bluetooth
import DFU
import Foundation
import Provisioning
import Support
import VirtualDevices

/// A bench with one virtual unit on it, for the time of one command.
struct VirtualStation {
    let unit: VirtualDevices.VirtualUnit
    private let air: VirtualAir
    let folder: UnitFolder
    private let lock: VirtualDevices.UnitLock

    init(_ selection: VirtualUnitSelection, stateFolder: String, inputs: AssetInputs) throws {
        let root = URL(fileURLWithPath: stateFolder)
            .appendingPathComponent("virtual/\(selection.name.family)/\(selection.name.name)", isDirectory: true)
        let time: VirtualTime = switch selection.speed {
        case .times(let factor): .real(speed: factor)
        case .maximum: .simulated()
        }
        air = VirtualAir(time: time)
        do {
            folder = try UnitFolder.monocle(root: root, name: selection.name.name)
            lock = try folder.lock()
            unit = try VirtualDevices.VirtualUnit.monocle(folder: folder, configuration: try Self.configuration(inputs), air: air)
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

    /// The virtual unit trusts the project's development key, and its FPGA knows the catalogue's images.
    private static func configuration(_ inputs: AssetInputs) throws -> MonocleConfiguration {
        var configuration = MonocleConfiguration(python: try python(inputs.search))
        if let catalogue = try? inputs.search.locate() {
            configuration.fpgaVersions = (try? catalogue.fpgaVersions(for: "monocle")) ?? [:]
            if let key = try? catalogue.firmware(for: "monocle").key, let coordinates = try? coordinates(of: key) {
                configuration.trustedKeys.append(BootloaderKey.bigEndian(coordinates))
            }
        }
        return configuration
    }

    static func coordinates(of key: AssetCatalogue.File) throws -> [UInt8] {
        try TrustedKey(name: key.name, pem: key.bytes).coordinates
    }

    /// The project's own virtual environment, or `$NOAFW_PYTHON`.
    static func python(_ search: AssetSearch) throws -> String {
        if let own = search.environment["NOAFW_PYTHON"], !own.isEmpty {
            let program = search.path(own).location
            guard ProgramFile.isThere(program) else { throw CommandError.noPython("NOAFW_PYTHON names no program: \(own)") }
            return program
        }
        var candidates: [String] = []
        for start in [search.executable.map { ($0 as NSString).resolvingSymlinksInPath }, search.currentDirectory + "/x"] {
            var folder = (start ?? "/") as NSString
            while folder.length > 1 {
                folder = folder.deletingLastPathComponent as NSString
                candidates.append(folder.appendingPathComponent(".venv/bin/python3"))
            }
        }
        guard let found = candidates.first(where: ProgramFile.isThere) else { throw CommandError.noPython("the project's .venv is missing") }
        return found
    }
}

/// Nordic writes keys with both coordinates byte-reversed; the virtual bootloader takes them big-endian.
enum BootloaderKey {
    static func bigEndian(_ coordinates: [UInt8]) -> [UInt8] {
        Array(coordinates.prefix(32).reversed()) + Array(coordinates.dropFirst(32).reversed())
    }
}
