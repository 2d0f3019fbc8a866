import Bluetooth
import Foundation
import Glibc

/// An exclusive lock that ends with this value or with the process: two processes on one unit would ruin each other's work.
public final class StationLock: Sendable {
    private let descriptor: Int32

    /// - Parameters:
    ///   - holder: what the lock stands for, for the message.
    ///   - waits: for a short critical section; else a lock that is taken is an error at once.
    /// - Throws: ``LinkError/busy(_:)``, ``StateFileError``.
    public init(file: URL, holder: String, waits: Bool = false) throws {
        descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw StateFileError.unwritable(path: file.path, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | (waits ? 0 : LOCK_NB)) == 0 else {
            close(descriptor)
            throw LinkError.busy("another noafw process works on \(holder)")
        }
    }

    /// The lock of one unit.
    public convenience init(unit address: DeviceAddress, stateFolder: String) throws {
        let folder = URL(fileURLWithPath: stateFolder, isDirectory: true).appendingPathComponent("locks", isDirectory: true)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw StateFileError.unwritable(path: folder.path, reason: error.localizedDescription)
        }
        let name = address.description.replacing(":", with: "") + ".lock"
        try self.init(file: folder.appendingPathComponent(name), holder: "\(address)")
    }

    deinit { close(descriptor) }
}

/// What can be wrong with the files of the state folder.
public enum StateFileError: Error, Sendable, Hashable {
    case unreadable(path: String, reason: String)
    case unwritable(path: String, reason: String)
}

extension StateFileError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .unreadable(let path, let reason):
            Diagnosis(
                code: "PRV-0030", category: .inputOutput, fault: .station, message: "cannot read \(path): \(reason)",
                cause: "the file is damaged or from another version",
                remedy: "move the file away; the station then meets its units anew")
        case .unwritable(let path, let reason):
            Diagnosis(
                code: "PRV-0031", category: .inputOutput, fault: .station, message: "cannot write \(path): \(reason)",
                cause: "the disk is full or the folder is not yours",
                remedy: "check the folder's permissions and free space, or set NOAFW_STATE_DIR to another one")
        }
    }
}
