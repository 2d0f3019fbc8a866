import Glibc

/// A descriptor that has, or may get, a lock (flock(2)); both end with it.
public final class HeldLock: Sendable {
    /// Negative, that of a file that could not be opened.
    public let descriptor: Int32

    /// - Parameter descriptor: is closed in the end.
    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Closing alone ends no lock while a process that another thread starts still has its copy of the descriptor.
    deinit {
        guard descriptor >= 0 else { return }
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// - Returns: whether the lock is held now; the reason is in `errno`.
    public func take() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}
