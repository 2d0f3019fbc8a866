import Bluetooth
import Foundation
import Provisioning

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
        }

        var processID: Int?
        var version: String?
        /// The adapter that was asked for.
        var wanted: String?
        var adapters: [Adapter]
        /// Names or addresses of connected devices. Untrusted.
        var connected: [String]
        /// A sentence for each block.
        var rfkillBlocked: [String]
        var connectionInterval: String?
        var mtu: String?
    }

    struct Disk: Sendable {
        var folder: String
        var freeBytes: Int
    }

    struct Catalogue: Sendable {
        var description: String
        var isDevelopment: Bool
    }

    var bluetooth: Result<Bluetooth, Trouble>
    var state: Result<Disk, Trouble>
    var catalogue: Result<Catalogue, Trouble>
    /// The Python with MicroPython for the virtual units.
    var interpreter: String?
}

extension DoctorFacts {
    static func gather(_ request: DoctorRequest) async -> DoctorFacts {
        DoctorFacts(
            bluetooth: await Radio.examine(adapter: request.adapter),
            state: trouble { try disk(request.stateFolder) },
            catalogue: trouble { try catalogue(request.search) },
            interpreter: try? VirtualStation.python(request.search))
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
