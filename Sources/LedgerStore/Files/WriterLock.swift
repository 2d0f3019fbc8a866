import Glibc
import Ledger
import Support

/// The one lock around every write, opening, migration, checkpoint and close of the ledger, in all processes.
///
/// SQLite below 3.51.3 can damage a file when two connections write or checkpoint at the same instant (its "WAL-reset" fault), and
/// Debian 12 has 3.40.1.
struct WriterLock: Sendable {
    let path: String
    /// A process that was stopped may hold the lock for ever.
    var timeout = Duration.seconds(5)

    func hold<Value>(_ body: () throws -> Value) throws -> Value {
        let descriptor = open(path, O_RDWR | O_CREAT | OpenedFile.flags, 0o600)
        guard descriptor >= 0 else { throw StorageFault.unwritable("\(path): \(SystemError.last)") }
        defer { close(descriptor) }
        guard try FileLock.take(descriptor, path: path, within: timeout) else { throw StorageFault.locked }
        return try body()
    }
}
