import Synchronization

/// Whether a job must start a unit's program again, over all its links: a unit that was only inspected continues its program.
public final class RestoreGuard: Sendable {
    private struct State {
        var isStopped = false
        var isLeftOut = false
        var changing: Set<Component> = []
    }

    private let state = Mutex(State())

    public init() {}

    /// This job stopped the program, and what the program needs is consistent.
    public var owesStart: Bool { state.withLock { $0.isStopped && $0.changing.isEmpty } }

    public var hasLeftOut: Bool { state.withLock { $0.isLeftOut } }

    public func interrupted() { state.withLock { $0.isStopped = true } }
    public func leavesOut() { state.withLock { ($0.isStopped, $0.isLeftOut) = (true, true) } }
    public func started() { state.withLock { ($0.isStopped, $0.isLeftOut) = (false, false) } }

    /// From now on the program is not started when the job ends: it would run on half of what it needs.
    public func beginChanging(_ component: Component) { state.withLock { _ = $0.changing.insert(component) } }

    public func endChanging(_ component: Component) { state.withLock { _ = $0.changing.remove(component) } }
}
