import Support
import Glibc

/// Held from the reading of a folder's manifest to its writing: additions at the same time would lose each other's entries.
final class CatalogueLock: Sendable {
    /// A process that was stopped may hold it for ever.
    static let timeout = Duration.seconds(10)
    private static let pollPause = Duration.milliseconds(20)

    private let descriptor: Int32

    /// Waits until the folder is free.
    /// - Throws: ``CatalogueError/locked(folder:)`` when it does not become free in time, ``CatalogueError/manifestMissing(path:)``,
    ///   `CancellationError`.
    static func hold(_ folder: String, clock: SessionClock) async throws -> CatalogueLock {
        let lock = try CatalogueLock(opening: folder)
        let deadline = clock.deadline(in: timeout)
        while try !lock.take(folder) {
            guard clock.now < deadline else { throw CatalogueError.locked(folder: folder) }
            try await clock.sleep(until: clock.deadline(in: pollPause))
        }
        return lock
    }

    private init(opening folder: String) throws(CatalogueError) {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .manifestMissing(path: "\(folder)/manifest.json") }
    }

    private func take(_ folder: String) throws(CatalogueError) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        let reason = errno
        guard reason == EWOULDBLOCK || reason == EINTR else {
            throw .notWritten(path: folder, reason: String(cString: strerror(reason)))
        }
        return false
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
