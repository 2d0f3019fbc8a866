import Glibc

/// A thread beside Swift's pool, for calls that block.
enum OwnThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Where the machine grants no thread the work is not done; `ProcessStart` has tried before.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { pointer in
            guard let pointer else { return nil }
            Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
            return nil
        }, work.toOpaque())
        if code == 0 { pthread_detach(thread) } else { work.release() }
    }
}
