import Support
import Synchronization

/// A run whose record is open. Accepts changes in any order from any task, and is closed once.
public final class OpenRun: Sendable {
    private struct State {
        var record: RunRecord
        var notices: [LedgerNotice]
        var claim: any UnitClaim = LocalClaim()
        var begun: SessionClock.Instant
        /// It never had its unit: its time does not count.
        var isUntouched = false
        var isWithdrawn = false
    }

    private let state: Mutex<State>
    private let ledger: any RunLedger
    private let clock: LedgerClock

    init(_ recorded: Recorded, ledger: any RunLedger, clock: LedgerClock, begun: SessionClock.Instant) {
        state = Mutex(State(record: recorded.record, notices: recorded.notices, begun: begun))
        (self.ledger, self.clock) = (ledger, clock)
    }

    public var record: RunRecord { state.withLock(\.record) }

    /// Another station had its unit, so it leaves no record.
    public var isWithdrawn: Bool { state.withLock(\.isWithdrawn) }

    /// When this run got the unit, by the monotonic clock.
    public var begun: SessionClock.Instant { state.withLock(\.begun) }

    /// Released when the run is closed.
    public var claim: any UnitClaim { state.withLock(\.claim) }

    /// Records the request, then claims the unit: if the run ends before the answer, this station can take the claim back.
    /// - Throws: ``ClaimError``, ``LedgerError``, `CancellationError`: then the unit must not be touched. Close the run all the same; if
    ///   the unit is another station's, it leaves no record.
    public func claim(from claims: any UnitClaims, rebindsSerial: Bool = false) async throws {
        let (record, ledger) = (record, ledger)
        let request = ClaimRequest(
            unit: record.unitAddress, run: record.id, serial: record.serial, rebindsSerial: rebindsSerial,
            isOver: { await ledger.isOver($0, station: record.station) })
        do throws(ClaimError) {
            let claim = try await claims.claim(request)
            state.withLock { state in
                state.claim = claim
                state.notices += [claim.notice].compactMap(\.self)
            }
        } catch {
            state.withLock { $0.isUntouched = true }
            if error.isAnothers, await ledger.withdraw(record.id) { state.withLock { $0.isWithdrawn = true } }
            try Task.checkCancellation()
            throw error
        }
        // Waiting for another station's run does not count as part of this one.
        let claim = claim
        if claim.state != nil {
            state.withLock { $0.begun = clock.monotonic.now }
            try await update { ($0.startedAt, $0.claim, $0.claimToken) = (clock.now(), claim.state, claim.token) }
        }
        try Task.checkCancellation()
    }

    /// About the run's recording, without repetition.
    public var notices: [LedgerNotice] { state.withLock(\.notices) }

    public var elapsed: Duration { begun.duration(to: clock.monotonic.now) }

    /// Does nothing once the run is closed.
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

    /// A close that cannot be recorded leaves the run open for another try.
    /// - Returns: the stored record; `nil` for a closed run.
    @discardableResult
    public func close(_ verdict: RunVerdict, _ change: (inout RunRecord) -> Void = { _ in }) async throws(LedgerError) -> RunRecord? {
        let states = state.withLock { state -> (open: RunRecord, closed: RunRecord)? in
            guard state.record.isOpen, !state.isWithdrawn else { return nil }
            change(&state.record)
            if let held = state.claim.state { state.record.claim = held }
            var open = state.record.bounded
            state.record = open
            state.record.close(verdict, at: clock.now(), elapsed: state.isUntouched ? nil : state.begun.duration(to: clock.monotonic.now))
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
