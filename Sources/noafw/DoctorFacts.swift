import Bluetooth
import Foundation
import Provisioning
import Support
import VirtualDevices

/// What `noafw doctor` found out, before any judgement.
struct DoctorFacts: Sendable {
    /// An error that is a finding.
    struct Trouble: Error { var diagnosis: Diagnosis }

    struct Bluetooth: Sendable {
        struct Adapter: Sendable {
            var name: String
            var address: String
            var isPowered: Bool
            var isDiscovering: Bool
            /// Names or addresses of connected devices, with the MTU where bluetoothd tells it. Untrusted.
            var connected: [String] = []
        }

        /// A closed kill switch.
        struct Block: Sendable {
            /// An adapter such as `hci0`, or the machine's own switch.
            var name: String
            /// Who closed it, as a phrase.
            var by: String
        }

        var isBusReachable = true
        /// Why bluetoothd could not be asked; what follows from its answers is empty then.
        var obstacle: Trouble?
        var processID: Int?
        var version: String?
        /// The adapter that was asked for.
        var wanted: String?
        var adapters: [Adapter] = []
        var blocks: [Block] = []
        /// Adapters whose own switch is open.
        var openSwitches: Set<String> = []
        /// Of the chosen adapter.
        var kernel = KernelView()

        /// The one that every verb works with: the one asked for, else the first that is on.
        var chosen: Adapter? {
            guard let wanted else { return adapters.first(where: \.isPowered) ?? adapters.first }
            return adapters.first { $0.name == wanted }
        }
    }

    /// A program of the virtual units.
    struct Interpreter: Sendable {
        /// What was tried; `nil` when there was nothing to try.
        var path: String?
        /// What it said of itself; `nil` when it did not run.
        var version: String?
    }

    struct Disk: Sendable {
        var folder: String
        var freeBytes: Int
    }

    struct Catalogue: Sendable {
        var description: String
        var isDevelopment: Bool
    }

    var bluetooth: Bluetooth
    var state: Result<Disk, Trouble>
    var catalogue: Result<Catalogue, Trouble>
    var micropython = Interpreter()
    var lua = Interpreter()
}

extension DoctorFacts {
    static func gather(_ request: DoctorRequest) async -> DoctorFacts {
        DoctorFacts(
            bluetooth: await Radio.examine(adapter: request.adapter),
            state: trouble { try disk(request.stateFolder) },
            catalogue: trouble { try catalogue(request.search) },
            micropython: await micropython(request.search), lua: await lua(request.search))
    }

    /// An interpreter for another processor is there and does not run.
    private static func micropython(_ search: AssetSearch) async -> Interpreter {
        guard let python = try? VirtualStation.python(search) else { return Interpreter() }
        return Interpreter(path: python, version: await answer(of: VirtualMonocle.versionCommand(python: python), search))
    }

    private static func lua(_ search: AssetSearch) async -> Interpreter {
        let program = search.environment["NOAFW_LUA"].flatMap { $0.isEmpty ? nil : $0 } ?? "lua5.4"
        return Interpreter(path: program, version: await answer(of: [program, "-e", "print(_VERSION)"], search))
    }

    /// The first line that a program prints.
    private static func answer(of words: [String], _ search: AssetSearch) async -> String? {
        let output = try? await ShortCommand.run(
            words, path: search.environment["PATH"], clock: .continuous, within: .seconds(15))
        return output?.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    static func trouble<Value>(_ body: () throws -> Value) -> Result<Value, Trouble> {
        do { return .success(try body()) } catch { return .failure(Trouble(diagnosis: CommandError.explain(error))) }
    }

    /// Tries to write where the state will be, in the nearest folder that exists.
    private static func disk(_ folder: String?) throws -> Disk {
        guard let folder else { throw CommandError.noStateFolder }
        var existing = folder
        while !FileManager.default.fileExists(atPath: existing), existing != "/" {
            existing = (existing as NSString).deletingLastPathComponent
        }
        guard access(existing, W_OK) == 0 else {
            throw StateFileError.unwritable(path: existing, reason: String(cString: strerror(errno)))
        }
        let free = try FileManager.default.attributesOfFileSystem(forPath: existing)[.systemFreeSize] as? NSNumber
        return Disk(folder: folder, freeBytes: free?.intValue ?? 0)
    }

    private static func catalogue(_ search: AssetSearch) throws -> Catalogue {
        let catalogue = try search.locate()
        let firmware = try catalogue.firmware(for: "monocle")
        let fpga = try catalogue.fpga(for: "monocle")
        let scripts = try catalogue.scripts(for: "monocle")
        return Catalogue(
            description: "\(catalogue.root): firmware \(firmware.version), FPGA \(fpga.version), scripts \(scripts.version)",
            isDevelopment: firmware.isDevelopment || fpga.isDevelopment)
    }
}
