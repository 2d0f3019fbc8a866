import Synchronization

/// What a job owes a unit's program, over all its links: a unit that was only looked at goes on with it.
public final class RestoreGuard: Sendable {
    private struct State {
        var isStopped = false
        var isLeftOut = false
        var changing: Set<Component> = []
    }

    private let state = Mutex(State())

    public init() {}

    /// The program does not run because of this job, and what it needs is consistent.
    public var owesStart: Bool { state.withLock { $0.isStopped && $0.changing.isEmpty } }

    /// The unit has restarted without its program.
    public var hasLeftOut: Bool { state.withLock { $0.isLeftOut } }

    public func interrupted() { state.withLock { $0.isStopped = true } }
    public func leavesOut() { state.withLock { ($0.isStopped, $0.isLeftOut) = (true, true) } }
    public func started() { state.withLock { ($0.isStopped, $0.isLeftOut) = (false, false) } }

    /// From here on the program is not started on the way out: it would run on half of what it needs.
    public func beginChanging(_ component: Component) { state.withLock { _ = $0.changing.insert(component) } }

    /// The component is consistent again.
    public func endChanging(_ component: Component) { state.withLock { _ = $0.changing.remove(component) } }
}
