import Ledger
import Support
import Synchronization

/// Feeds the server from this station's ledger. Runs are marked as sent only after the server's confirmation; after a lost answer they
/// are sent again, and the server recognises them.
final class ServerUploads: RunUploads {
    private struct State {
        var backoff = Backoff()
        var failure: ServerError?
    }

    private let sink: any RunSink
    private let outbox: any RunOutbox
    private let station: String
    private let clock: SessionClock
    private let chance: @Sendable () -> Double
    private let state = Mutex(State())

    private static let batchLimit = Duration.seconds(15)

    init(
        _ sink: any RunSink, outbox: any RunOutbox, station: String, clock: SessionClock = .continuous,
        chance: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        (self.sink, self.outbox, self.station, self.clock, self.chance) = (sink, outbox, station, clock, chance)
    }

    func send(within limit: Duration) async -> UploadReport {
        state.withLock { $0.backoff.succeeded() }
        return await send(until: clock.deadline(in: limit), repeats: true)
    }

    func sendOnce(within limit: Duration) async -> UploadReport { await send(until: clock.deadline(in: limit), repeats: false) }

    private func send(until deadline: SessionClock.Instant, repeats: Bool) async -> UploadReport {
        var report = UploadReport()
        do {
            while clock.now < deadline, try await isDue(before: repeats ? deadline : clock.now) {
                let batch = UploadBatch.prefix(of: try await outbox.unsent(station: station, limit: UploadBatch.runLimit))
                guard !batch.isEmpty else { break }
                try await send(batch, until: deadline, &report)
            }
            report.left = try await outbox.unsentCount(station: station)
            report.unreadable = outbox.unreadable
            report.failure = report.left > 0 ? state.withLock { $0.failure?.diagnosis } : nil
        } catch {
            // Interrupted: the runs wait for an earlier reason, if any.
            report.failure = error is CancellationError ? state.withLock { $0.failure?.diagnosis } : diagnose(error)
            report.left = max((try? await outbox.unsentCount(station: station)) ?? 0, 1)
        }
        return report
    }

    /// Waits for the next try if it comes in time.
    private func isDue(before deadline: SessionClock.Instant) async throws -> Bool {
        guard let due = state.withLock(\.backoff.due), clock.now < due else { return true }
        guard due < deadline else { return false }
        try await clock.sleep(until: due)
        return true
    }

    /// Splits a refused batch, so that one bad run blocks no other.
    private func send(_ batch: [RunRecord], until deadline: SessionClock.Instant, _ report: inout UploadReport) async throws {
        do {
            let last = try? await outbox.lastNumber(station: station)
            try await sink.insert(batch, last: last, within: min(Self.batchLimit, clock.now.duration(to: deadline)))
        } catch {
            guard error.kind == .row else { return wait(after: error) }
            return try await divide(batch, error, until: deadline, &report)
        }
        try await outbox.markSent(batch.map(\.id))
        report.sent += batch.count
        succeeded()
    }

    private func divide(
        _ batch: [RunRecord], _ fault: ServerFault, until deadline: SessionClock.Instant, _ report: inout UploadReport
    ) async throws {
        guard batch.count > 1 else { return try await reject(batch[0], fault, &report) }
        let middle = batch.count / 2
        try await send(Array(batch[..<middle]), until: deadline, &report)
        guard state.withLock({ $0.failure == nil }), clock.now < deadline else { return }
        try await send(Array(batch[middle...]), until: deadline, &report)
    }

    private func reject(_ run: RunRecord, _ fault: ServerFault, _ report: inout UploadReport) async throws {
        let rejected = RejectedRun(id: run.id, reason: fault.reason)
        try await outbox.markRejected(rejected)
        report.rejected.append(rejected)
        succeeded()
    }

    private func succeeded() {
        state.withLock { state in
            state.backoff.succeeded()
            state.failure = nil
        }
    }

    private func wait(after fault: ServerFault) {
        let (now, chance) = (clock.now, chance())
        state.withLock { state in
            state.failure = fault.error
            if fault.kind == .passing { state.backoff.failed(at: now, chance: chance) } else { state.backoff.gaveUp(at: now) }
        }
    }
}

enum UploadBatch {
    static let runLimit = 200
    static let byteLimit = 1 << 20

    /// The first that fit together; one that is too large goes alone.
    static func prefix(of runs: [RunRecord]) -> [RunRecord] {
        var bytes = 0
        let count = runs.prefix(runLimit).prefix { run in
            bytes += PostgreSQLRuns.json([run])?.utf8.count ?? 0
            return bytes <= byteLimit
        }.count
        return Array(runs.prefix(max(1, count)))
    }
}

/// When to ask a silent server again: after 1 s, then twice as late each time, up to a minute, randomly a little earlier. A pure machine.
struct Backoff: Sendable {
    static let (first, longest) = (Duration.seconds(1), Duration.seconds(60))

    private var delay = first
    private(set) var due: SessionClock.Instant?

    mutating func failed(at now: SessionClock.Instant, chance: Double) {
        due = now.advanced(by: delay * (0.5 + chance / 2))
        delay = min(delay * 2, Self.longest)
    }

    /// Another try within a minute is useless.
    mutating func gaveUp(at now: SessionClock.Instant) {
        delay = Self.longest
        failed(at: now, chance: 1)
    }

    mutating func succeeded() { self = Backoff() }
}
