import Glibc
import Support

/// Waits for an advisory lock of a file (flock(2)), which other processes may hold.
enum FileLock {
    private static let pollInterval: UInt32 = 2000

    /// Blocks its thread, which is one of the ledger's own (``OwnThread``, ``WriteQueue``): flock(2) has no time limit of itself.
    /// - Returns: whether the lock was taken in time.
    static func take(_ descriptor: Int32, path: String, within timeout: Duration) throws -> Bool {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw StorageFault.unwritable("\(path): \(SystemError.last)") }
            guard ContinuousClock.now < deadline else { return false }
            usleep(pollInterval)
        }
        return true
    }
}
