import Support
import Synchronization

/// A run whose record is open: takes its changes in any order from any task, and is closed once.
public final class OpenRun: Sendable {
    private struct State {
        var record: RunRecord
        var notices: [LedgerNotice]
    }

    private let state: Mutex<State>
    private let ledger: any RunLedger
    private let clock: LedgerClock
    /// By the monotonic clock.
    public let begun: SessionClock.Instant
    /// On the run's unit; given free when the run is closed.
    public let claim: any UnitClaim

    init(_ recorded: Recorded, ledger: any RunLedger, clock: LedgerClock, begun: SessionClock.Instant, claim: any UnitClaim) {
        state = Mutex(State(record: recorded.record, notices: recorded.notices + [claim.notice].compactMap(\.self)))
        (self.ledger, self.clock, self.begun, self.claim) = (ledger, clock, begun, claim)
    }

    public var record: RunRecord { state.withLock(\.record) }

    /// What the run has to say of its recording, each thing once.
    public var notices: [LedgerNotice] { state.withLock(\.notices) }

    /// Since the run was opened, by the monotonic clock.
    public var elapsed: Duration { begun.duration(to: clock.monotonic.now) }

    /// Writes what has become known; nothing where the run is closed.
    public func update(_ change: (inout RunRecord) -> Void) async throws(LedgerError) {
        let next = state.withLock { state -> RunRecord? in
            guard state.record.isOpen else { return nil }
            change(&state.record)
            state.record = state.record.bounded
            state.record.revision &+= 1
            return state.record
        }
        if let next { keep(try await ledger.put(next)) }
    }

    public func note(_ step: RunStep) async throws(LedgerError) {
        try await update { $0.steps.append(step) }
    }

    /// A close that can be recorded nowhere leaves the run open, for another try.
    /// - Parameter change: what became known last.
    /// - Returns: the record as it is kept; `nil` where the run was closed before.
    @discardableResult
    public func close(_ verdict: RunVerdict, _ change: (inout RunRecord) -> Void = { _ in }) async throws(LedgerError) -> RunRecord? {
        let states = state.withLock { state -> (open: RunRecord, closed: RunRecord)? in
            guard state.record.isOpen else { return nil }
            change(&state.record)
            if let held = claim.state { state.record.claim = held }
            var open = state.record.bounded
            state.record = open
            state.record.close(verdict, at: clock.now(), elapsed: elapsed)
            open.revision = state.record.revision
            return (open, state.record.bounded)
        }
        guard let states else { return nil }
        do {
            let recorded = try await ledger.put(states.closed)
            keep(recorded)
            state.withLock { $0.record = recorded.record }
            await claim.release()
            return recorded.record
        } catch {
            state.withLock { $0.record = states.open }
            throw error
        }
    }

    private func keep(_ recorded: Recorded) {
        state.withLock { state in state.notices += recorded.notices.filter { !state.notices.contains($0) } }
    }
}
