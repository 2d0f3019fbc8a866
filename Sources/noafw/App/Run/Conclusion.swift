import Synchronization

/// The one result of a command: it is said by whoever comes first, the end or the last words of a run that does not end.
final class Conclusion: Sendable {
    private let isSaid = Mutex(false)

    func say(_ words: () -> Void) {
        isSaid.withLock { isSaid in
            guard !isSaid else { return }
            isSaid = true
            words()
        }
    }
}
