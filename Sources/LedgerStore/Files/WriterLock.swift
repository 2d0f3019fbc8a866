import Glibc
import Ledger
import Support

/// The one lock for every write, opening, migration, checkpoint and close of the ledger, in all processes.
///
/// SQLite before 3.51.3 can damage a file when two connections write or checkpoint at the same instant (its "WAL-reset" fault); Debian 12
/// has 3.40.1.
struct WriterLock: Sendable {
    let path: String
    /// A stopped process may hold the lock for ever.
    var timeout = Duration.seconds(5)

    func hold<Value>(_ body: () throws -> Value) throws -> Value {
        try FileLock.hold(path, O_RDWR | O_CREAT, within: timeout) { _ in try body() }
    }
}

/// An advisory lock of a file (flock(2)).
enum FileLock {
    private static let pollInterval: UInt32 = 2000

    static func hold<Value>(_ path: String, _ flags: Int32, within timeout: Duration, _ body: (Int32) throws -> Value) throws -> Value {
        let lock = HeldLock(open(path, flags | OpenedFile.flags, 0o600))
        guard lock.descriptor >= 0 else { throw StorageFault.last(path) }
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while !lock.take() {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw StorageFault.last(path) }
            guard ContinuousClock.now < deadline else { throw StorageFault.locked }
            // The thread is one of the ledger's own, and flock(2) has no time limit.
            usleep(pollInterval)
        }
        return try withExtendedLifetime(lock) { try body(lock.descriptor) }
    }
}
