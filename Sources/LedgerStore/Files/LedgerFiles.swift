import Foundation
import Glibc
import Ledger
import Support

struct LedgerFiles: Sendable {
    let folder: String

    var database: String { "\(folder)/ledger.sqlite" }
    var companions: [String] { ["\(database)-wal", "\(database)-shm", "\(database)-journal"] }
    var lock: String { "\(folder)/ledger.lock" }
    var marks: String { "\(folder)/processes.lock" }
    var spool: String { "\(folder)/spool.jsonl" }
    var rejected: String { "\(folder)/spool-rejected.jsonl" }
    var reserve: String { "\(folder)/spool.reserve" }

    private static let brokenPrefix = "broken-"
    private static let acknowledgedPrefix = "acknowledged-"

    func copy(before migration: String, at time: UTCTime) -> String { "\(folder)/ledger-before-\(migration)-\(time.compact).sqlite" }

    /// Moves the database's files into a separate folder.
    func moveAside(at time: UTCTime) throws {
        let aside = "\(folder)/\(Self.brokenPrefix)\(time.compact)"
        do {
            try FileWriter.makeFolder(aside)
        } catch {
            throw StorageFault.unwritable(error.reason)
        }
        // The log first: a new database must never meet an old log.
        for path in companions + [database] {
            let name = path.split(separator: "/").last ?? "ledger"
            guard rename(path, "\(aside)/\(name)") == 0 || errno == ENOENT else { throw StorageFault.last(path) }
        }
        Self.synchronize(folder)
    }

    /// The folders of broken databases that nobody has acknowledged.
    func brokenFolders() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(Self.brokenPrefix) }.sorted().map { "\(folder)/\($0)" }
    }

    func acknowledgeBroken() throws -> [String] {
        try brokenFolders().map { path in
            let name = path.split(separator: "/").last?.dropFirst(Self.brokenPrefix.count) ?? ""
            let new = "\(folder)/\(Self.acknowledgedPrefix)\(name)"
            guard rename(path, new) == 0 else { throw StorageFault.last(path) }
            return new
        }
    }

    /// True also for unreadable files, and links to unmounted disks.
    var isBegun: Bool {
        var status = stat()
        return lstat(database, &status) == 0
    }

    func identity() -> FileIdentity? { FileIdentity(path: database) }

    /// A new file survives a power cut only when its folder is also on the disk.
    static func synchronize(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

struct FileIdentity: Equatable, Sendable {
    let device: UInt64
    let node: UInt64

    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, node) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}
