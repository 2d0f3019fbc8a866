import Dispatch
import Foundation
import Glibc
import Ledger
import Support
import Synchronization

@testable import LedgerStore
@testable import noafw

/// What is beside the units at a station: a wall clock, a ledger that others use, too, and an operator. Each look at the clock is a step,
/// at which something may go wrong.
final class StormDesk: Sendable {
    private static let begun: TimeInterval = 1_795_000_000
    private static let (hour, day, year): (TimeInterval, TimeInterval, TimeInterval) = (3600, 86_400, 365 * 86_400)
    /// Seconds a second.
    private static let drift = 0.1
    /// In real time: a lock is held until a later step, so that how long one waits for it decides nothing.
    private static let lockTimeout = Duration.milliseconds(50)

    private struct State {
        var steps = 0
        var shift: TimeInterval = 0
        /// The units' time from which on the wall clock is too fast.
        var driftsFrom: Duration?
        var lock: (descriptor: Int32, end: Int)?
        var other: (ledger: SQLiteLedger, run: OpenRun)?
    }

    private let faults: [StormFault]
    private let folder: String
    private let log: StormLog
    private let start: TimeInterval
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameter elapsed: of the units' time.
    init(_ plan: StormPlan, ledger: String, log: StormLog, day: Int, elapsed: @escaping @Sendable () -> Duration) {
        (faults, folder, self.log, self.elapsed) = (plan.faults, ledger, log, elapsed)
        start = Self.begun + Self.day * TimeInterval(day)
    }

    func ledger(_ folder: String) -> RunRecorder.KeptLedger {
        let kinds = faults.map(\.kind), isLocked = kinds.contains(.locked)
        let ledger = SQLiteLedger(
            folder: folder, now: { [self] in UTCTime(date) }, migrator: LedgerSchema.migrator,
            lockTimeout: isLocked ? Self.lockTimeout : .seconds(5))
        return isLocked || kinds.contains(.station) ? AwaitedLedger(base: ledger) : ledger
    }

    private var date: Date {
        let now = elapsed()
        let wrong = state.withLock { $0.shift + ($0.driftsFrom.map { (now - $0) / .seconds(1) * Self.drift } ?? 0) }
        return Date(timeIntervalSince1970: start + now / .seconds(1) + wrong)
    }

    @Sendable func step() -> Date {
        let (number, over) = state.withLock { state -> (Int, Int32?) in
            state.steps += 1
            guard let lock = state.lock, lock.end <= state.steps else { return (state.steps, nil) }
            state.lock = nil
            return (state.steps, lock.descriptor)
        }
        if let over { Glibc.close(over) }
        for fault in faults where fault.at == number { happen(fault) }
        return date
    }

    private func happen(_ fault: StormFault) {
        switch fault.kind {
        case .interrupt:
            log.reach(.interrupt)
            log.cancel()
        case .clock:
            log.reach(.clock)
            let now = elapsed()
            state.withLock { state in
                switch fault.rate {
                case ..<0.5: state.shift -= Self.hour
                case ..<0.8: state.shift += Self.year
                default: state.driftsFrom = now
                }
            }
        case .station: beginElsewhere()
        case .locked: lock(steps: 1 + Int(fault.rate * 12))
        default: break
        }
    }

    /// As another process does while it writes.
    private func lock(steps: Int) {
        let descriptor = open(LedgerFiles(folder: folder).lock, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let isMine = state.withLock { state -> Bool in
            guard state.lock == nil, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
            state.lock = (descriptor, state.steps + steps)
            return true
        }
        if isMine { log.reach(.locked) } else { Glibc.close(descriptor) }
    }

    private func beginElsewhere() {
        guard state.withLock({ $0.other == nil && $0.lock == nil }) else { return }
        log.reach(.station)
        let other = SQLiteLedger(folder: folder, now: { [self] in UTCTime(date) })
        let record = RunRecord(
            station: "storm", unitAddress: "C0:00:00:00:00:01", family: "monocle", verb: "flash", toolVersion: "v1", host: "other")
        let clock = LedgerClock(now: { [self] in UTCTime(date) })
        let run = try? waiting { () throws(LedgerError) in try await other.open(record, rebindsSerial: false, clock: clock) }
        if let run { state.withLock { $0.other = (other, run) } }
    }

    /// The run is over; the other station's, too.
    func close() async {
        let (lock, other) = state.withLock { state in
            defer { state.lock = nil }
            return (state.lock, state.other)
        }
        if let lock { Glibc.close(lock.descriptor) }
        guard let other else { return }
        _ = try? await other.run.close(.pass)
        await other.ledger.close()
    }
}

/// The world stands still until the ledger has answered: else it would depend on the disk whether a lock comes before a write or after it.
private struct AwaitedLedger: RunLedger, RunOutbox {
    let base: SQLiteLedger

    func begin(_ record: RunRecord, rebindsSerial: Bool) async throws(LedgerError) -> Recorded {
        try waiting { () throws(LedgerError) in try await base.begin(record, rebindsSerial: rebindsSerial) }
    }

    func put(_ record: RunRecord) async throws(LedgerError) -> Recorded {
        try waiting { () throws(LedgerError) in try await base.put(record) }
    }

    func withdraw(_ run: RunID) async -> Bool { (try? waiting { () throws(LedgerError) in await base.withdraw(run) }) ?? false }

    func runs(_ filter: RunFilter) async throws(LedgerError) -> [RunRecord] {
        try waiting { () throws(LedgerError) in try await base.runs(filter) }
    }

    func lastPass(of unitAddress: String) async throws(LedgerError) -> PassedRun? {
        try waiting { () throws(LedgerError) in try await base.lastPass(of: unitAddress) }
    }

    func isOver(_ run: RunID, station: String) async -> Bool { await base.isOver(run, station: station) }

    func conflict(_ serial: String, at unitAddress: String) async throws(LedgerError) -> LedgerError? {
        try await base.conflict(serial, at: unitAddress)
    }

    func unsent(station: String, limit: Int) async throws(LedgerError) -> [RunRecord] {
        try await base.unsent(station: station, limit: limit)
    }
    func unsentCount(station: String) async throws(LedgerError) -> Int { try await base.unsentCount(station: station) }
    func markSent(_ ids: [RunID]) async throws(LedgerError) { try await base.markSent(ids) }
    func markRejected(_ run: RejectedRun) async throws(LedgerError) { try await base.markRejected(run) }
    func lastNumber(station: String) async throws(LedgerError) -> RunNumber? { try await base.lastNumber(station: station) }
    var unreadable: LedgerNotice? { base.unreadable }
}

private func waiting<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(LedgerError) -> Value
) throws(LedgerError) -> Value {
    let (ended, result) = (DispatchSemaphore(value: 0), Answer<Value>())
    Task.detached {
        do throws(LedgerError) {
            let value = try await body()
            result.value.withLock { $0 = .success(value) }
        } catch {
            result.value.withLock { $0 = .failure(error) }
        }
        ended.signal()
    }
    ended.wait()
    guard let answer = result.value.withLock(\.self) else { preconditionFailure("the ledger has not answered") }
    return try answer.get()
}

private final class Answer<Value: Sendable>: Sendable {
    let value = Mutex<Result<Value, LedgerError>?>(nil)
}
