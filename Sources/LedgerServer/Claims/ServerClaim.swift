import Ledger
import Support
import Synchronization

final class ServerClaim: UnitClaim {
    private struct State {
        var lease: Lease
        var isReleased = false
        var renewal: Task<Void, any Error>?
    }

    private let number: Int64
    var token: Int64? { number }
    private let server: any LeaseServer
    private let clock: SessionClock
    private let unit: String
    private let run: RunID
    private let renewalState: Mutex<State>

    init(_ server: any LeaseServer, _ clock: SessionClock, unit: String, run: RunID, token: Int64, lease: Lease) {
        (self.server, self.clock, self.unit, self.run, number) = (server, clock, unit, run, token)
        renewalState = Mutex(State(lease: lease))
    }

    deinit { renewalState.withLock { $0.renewal?.cancel() } }

    var isHeld: Bool { lease.isHeld(at: clock.now) }
    var mayBeginErase: Bool { lease.mayBeginErase(at: clock.now) }
    var state: ClaimState? { isHeld ? .held : .lost }
    private var lease: Lease { renewalState.withLock(\.lease) }

    func beginErase() async throws(ClaimError) {
        if !mayBeginErase, !lease.isRefused { _ = await renew() }
        guard mayBeginErase else { throw .runsOut(unit: unit) }
    }

    func release() async {
        let isFirst = renewalState.withLock { state in
            defer { state.isReleased = true }
            state.renewal?.cancel()
            return !state.isReleased
        }
        if isFirst { await server.release(unit: unit, run: run, token: number) }
    }

    /// - Returns: when to ask again; `nil` when another station has the unit.
    fileprivate func renew() async -> SessionClock.Instant? {
        let asked = clock.now
        let times = lease.times
        let answer: Lease.Answer
        do {
            answer = try await server.renew(unit: unit, run: run, token: number, timeToLive: times.timeToLive) ? .renewed : .refused
        } catch {
            answer = .unknown
        }
        renewalState.withLock { $0.lease.note(answer, asked: asked) }
        return switch answer {
        case .renewed: asked.advanced(by: times.renewal)
        case .unknown: clock.now.advanced(by: times.retry)
        case .refused: nil
        }
    }

    /// Until it is released, refused, or nothing refers to it.
    func keepRenewing() {
        let (clock, first) = (clock, clock.now.advanced(by: lease.times.renewal))
        // It outlives the call; a release or the end of this value ends it.
        let task = clock.task { [weak self] in
            var next: SessionClock.Instant? = first
            while let due = next, (try? await clock.sleep(until: due)) != nil { next = await self?.renew() }
        }
        renewalState.withLock { $0.renewal = task }
    }
}
