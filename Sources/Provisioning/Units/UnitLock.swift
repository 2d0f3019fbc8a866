import Bluetooth
import FoundationEssentials
import Glibc
import Support

/// An exclusive lock that ends with this value or with the process: two processes on one unit would ruin each other's work.
public final class UnitLock: Sendable {
    private let lock: HeldLock

    private static let pollInterval = Duration.milliseconds(20)

    /// - Parameter holder: what the lock protects, for the message.
    /// - Throws: ``LinkError/busy(_:)`` when it is taken, ``StateFileError``.
    public init(file: URL, holder: String) throws {
        lock = HeldLock(open(file.path, O_RDWR | O_CREAT | OpenedFile.flags, 0o600))
        guard lock.descriptor >= 0 else {
            throw StateFileError.unwritable(path: file.path, reason: String(cString: strerror(errno)))
        }
        guard lock.take() else {
            let reason = errno
            guard reason == EWOULDBLOCK else {
                throw StateFileError.unwritable(path: file.path, reason: String(cString: strerror(reason)))
            }
            throw LinkError.busy("another noafw process works on \(holder)")
        }
    }

    /// Waits for the lock of a short critical section. A stopped process may hold it for ever.
    /// - Throws: ``StateFileError/locked(path:)`` when it does not become free in time, `CancellationError`.
    static func waiting(for file: URL, clock: SessionClock) async throws -> UnitLock {
        let deadline = clock.deadline(in: .seconds(10))
        while true {
            do {
                return try UnitLock(file: file, holder: file.lastPathComponent)
            } catch LinkError.busy {
                guard clock.now < deadline else { throw StateFileError.locked(path: file.path) }
                try await clock.sleep(until: clock.deadline(in: pollInterval))
            }
        }
    }

    public convenience init(unit address: DeviceAddress, stateFolder: String) throws {
        let folder = URL(fileURLWithPath: stateFolder, isDirectory: true).appendingPathComponent("locks", isDirectory: true)
        do {
            try FileWriter.makeFolder(folder.path)
        } catch {
            throw StateFileError.unwritable(path: folder.path, reason: error.reason)
        }
        let name = address.description.replacing(":", with: "") + ".lock"
        try self.init(file: folder.appendingPathComponent(name), holder: "\(address)")
    }
}

/// What can be wrong with the files of the state folder.
public enum StateFileError: Error, Sendable, Hashable {
    case unreadable(path: String, reason: String)
    case unwritable(path: String, reason: String)
    case locked(path: String)
}

extension StateFileError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .unreadable(let path, let reason):
            Diagnosis(
                "PRV-0030", .inputOutput, .station, "cannot read \(path): \(reason)",
                cause: "the file is damaged, or another version of noafw wrote it",
                remedy: "move the file away; the next run starts a new list of units")
        case .unwritable(let path, let reason):
            Diagnosis(
                "PRV-0031", .inputOutput, .station, "cannot write \(path): \(reason)",
                cause: "the disk is full, or the folder belongs to another user",
                remedy: "check the folder's permissions and free space, or set NOAFW_STATE_DIR to another folder")
        case .locked(let path):
            Diagnosis(
                "PRV-0032", .tryAgain, .station, "another process holds \(path)",
                cause: "a noafw that writes this file was stopped (Ctrl-Z), or it hangs",
                remedy: "find it with: fuser -v \(path); resume or end it, then run the same command again")
        }
    }
}
