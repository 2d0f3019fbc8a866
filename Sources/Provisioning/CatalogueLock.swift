import Glibc

/// Held from the reading of a folder's manifest to its writing: additions at the same time would lose each other's entries.
final class CatalogueLock: Sendable {
    /// In seconds. A process that was stopped may hold it for ever.
    private static let patience = 10
    private static let pollsPerSecond = 50

    private let descriptor: Int32

    /// - Throws: ``CatalogueError/locked(folder:)`` when it does not become free in time, ``CatalogueError/manifestMissing(path:)``.
    init(folder: String) throws(CatalogueError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .manifestMissing(path: "\(folder)/manifest.json") }
        var isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        for _ in 0..<Self.patience * Self.pollsPerSecond where !isHeld && (errno == EWOULDBLOCK || errno == EINTR) {
            usleep(UInt32(1_000_000 / Self.pollsPerSecond))
            isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        }
        guard isHeld else {
            let reason = errno
            close(descriptor)
            throw reason == EWOULDBLOCK ? .locked(folder: folder) : .notWritten(path: folder, reason: String(cString: strerror(reason)))
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
