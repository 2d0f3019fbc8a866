import Bluetooth
import Ledger
import LedgerServer
import Provisioning
import Support
import Synchronization

/// Records the runs of one command, each from before its unit is touched to its end, whatever that is.
final class RunRecorder: Sendable {
    typealias Events = @Sendable (RunEvent) -> Void
    typealias KeptLedger = any RunLedger & RunOutbox

    /// What is known of a run before it begins.
    struct Start: Sendable {
        var verb: String
        var unit: StationUnit
        var assets: AssetSet
        /// `nil` takes the command's.
        var serial: String?
        /// `nil` for a unit that was run by itself.
        var rollout: RolloutPlan?
    }

    /// Stands for the radio of a virtual unit.
    static let virtualAdapter = "virtual"
    /// A unit on a line passes once, one on a desk some times a day.
    private static let passLimit = 100
    private static let sendLimit = Duration.seconds(10)
    private static let hurriedSendLimit = Duration.seconds(1)
    private static let lastNoticesLimit = Duration.seconds(1)

    private let inputs: RecordInputs
    private let ledger: KeptLedger
    private let now: @Sendable () -> UTCTime
    private let ids: RunIDGenerator
    private let claims: any UnitClaims
    private let uploads: BackgroundUploads
    private let events: Events
    /// Each thing once, however many units there are.
    private let notices: OnceNotices
    private let serverCheck = Mutex<Task<Void, any Error>?>(nil)

    /// - Parameters:
    ///   - claims: `nil` takes the server's, if there is one.
    ///   - uploads: `nil` takes the server's, if there is one.
    ///   - events: gets what concerns no single unit.
    init(
        _ inputs: RecordInputs, ledger: KeptLedger, claims: (any UnitClaims)? = nil, uploads: (any RunUploads)? = nil,
        events: @escaping Events
    ) {
        (self.inputs, self.ledger, self.now, self.events) = (inputs, ledger, inputs.now, events)
        ids = RunIDGenerator(now: self.now)
        notices = OnceNotices(events)
        self.claims = claims ?? inputs.server?.claims(inputs.claimPolicy) ?? LocalClaims()
        self.uploads = BackgroundUploads(uploads ?? inputs.server?.uploads(from: ledger) ?? NoUploads()) { [notices] in
            for notice in $0 { notices.tell(notice.diagnosis, to: events) }
        }
    }

    /// Opens a record, claims the unit, runs `body`, and closes the record with what became of it; a cancelled run's, too.
    /// - Parameters:
    ///   - recorded: gets the record when it is opened and when it is closed; `nil` where it was taken back.
    ///   - body: gets a sink for its events, and its record.
    /// - Throws: what `body` throws; before `body` begins, ``LedgerError`` where the run cannot be recorded or the serial number belongs
    ///   to another unit, ``ClaimError`` where another station works on the unit, ``ServerError``.
    func record<Report: RecordedReport>(
        _ start: Start, events: @escaping Events, recorded: (RunRecord?) -> Void = { _ in },
        _ body: (@escaping Events, Recording) async throws -> Report
    ) async throws -> Report {
        let clock = start.unit.central.clock
        let run = try await clock.paused { try await self.open(start, clock) }
        recorded(run.record)
        defer { recorded(run.isWithdrawn ? nil : run.record) }
        do {
            try await clock.paused { try await run.claim(from: claims, rebindsSerial: inputs.rebindsSerial) }
        } catch {
            await close(recording(of: run, start), verdict(error), nil, clock, events)
            throw error
        }
        for notice in run.notices { notices.tell(notice.diagnosis, to: events) }
        let recording = recording(of: run, start)
        do {
            let report = try await recording.follow { take in
                let told: Events = { event in
                    take(event)
                    events(event)
                }
                return try await body(told, recording)
            }
            await close(recording, report.failure.map { RunVerdict($0) } ?? .pass, report, clock, events)
            return report
        } catch {
            await close(recording, verdict(error), nil, clock, events)
            throw error
        }
    }

    private func recording(of run: OpenRun, _ start: Start) -> Recording {
        let collector = RunCollector(begun: run.begun, digests: start.assets.digests.mapValues(HexText.encode), rollout: start.rollout)
        return Recording(run: run, collector: collector, clock: start.unit.central.clock)
    }

    private func open(_ start: Start, _ clock: SessionClock) async throws -> OpenRun {
        try await checkServer()
        var first = inputs.record
        (first.unitAddress, first.family, first.verb) = ("\(start.unit.address)", start.unit.family.id.rawValue, start.verb)
        first.adapter = start.unit.adapter ?? (start.unit.isVirtual ? Self.virtualAdapter : nil)
        (first.serial, first.rssi) = (start.serial ?? inputs.serial, start.unit.rssi)
        (first.bundleDigest, first.bundleSigner) = (start.assets.bundle?.digest, start.assets.bundle?.signer)
        first.plan = RecordedPlan(rollout: start.rollout).json
        return try await ledger.open(first, rebindsSerial: inputs.rebindsSerial, clock: LedgerClock(now: now, monotonic: clock, ids: ids))
    }

    /// The last run before this one that its unit has passed, as this machine knows it. A ledger that cannot be read fails no run.
    func lastPass(before recording: Recording, _ clock: SessionClock, _ events: @escaping Events) async -> PassedRun? {
        // A ledger that was not written is not asked: the run has said so, and the unit waits.
        guard !recording.run.notices.contains(where: { if case .spooling = $0 { true } else { false } }) else { return nil }
        do {
            return try await clock.paused { try await ledger.lastPass(of: recording.run.record.unitAddress) }
        } catch {
            notices.tell(diagnose(error), to: events)
            return nil
        }
    }

    /// The last runs that a unit has passed, the newest first. A ledger that cannot be read fails no run.
    func passes(of unit: StationUnit, _ events: @escaping Events) async -> [RunRecord] {
        var filter = RunFilter()
        (filter.unit, filter.outcome, filter.limit) = ("\(unit.address)", .pass, Self.passLimit)
        do {
            return try await unit.central.clock.paused { [filter] in try await ledger.runs(filter) }.reversed().filter {
                $0.unitAddress == "\(unit.address)"
            }
        } catch {
            notices.tell(diagnose(error), to: events)
            return []
        }
    }

    /// Sends what the server has not got yet, within seconds, and reports the rest. To be called once, when no run of the
    /// command is left.
    func finish() async {
        await SessionClock.continuous.shielded(for: Self.sendLimit + Self.lastNoticesLimit, onceCancelled: Self.hurriedSendLimit) {
            [self] in
            // Also what was reported before: only what waits at the end counts.
            for notice in await uploads.finish(within: Self.sendLimit).notices { events(.notice(notice.diagnosis.notice)) }
        }
    }

    /// Once a command, before its first unit. A run that is cancelled ends it, and another one that waits begins it anew.
    private func checkServer() async throws {
        guard let server = inputs.server else { return }
        let policy = inputs.claimPolicy
        while true {
            let check = serverCheck.withLock { check in
                if let check, !check.isCancelled { return check }
                let new = SessionClock.continuous.task { try await server.check(policy) }
                check = new
                return new
            }
            do {
                return try await withTaskCancellationHandler { try await check.value } onCancel: { check.cancel() }
            } catch is CancellationError {
                try Task.checkCancellation()
            }
        }
    }

    private func verdict(_ error: any Error) -> RunVerdict {
        let isTimeLimit = if error is CancellationError, case .timeLimit = inputs.stop.reason { true } else { false }
        return RunVerdict(inputs.stop.diagnosis(of: error), isTimeLimit: isTimeLimit)
    }

    private func close(
        _ recording: Recording, _ verdict: RunVerdict, _ report: (any RecordedReport)?, _ clock: SessionClock, _ events: @escaping Events
    ) async {
        recording.collector.withLock { $0.conclude(verdict, report, at: clock.now) }
        let run = recording.run
        // Cancelled or not: the ledger writes all the same, and a release has a limit of its own.
        await clock.paused {
            do throws(LedgerError) {
                try await run.close(verdict) { recording.fill(&$0) }
                uploads.runClosed()
            } catch {
                keepByHand(run, verdict, error, events)
                await run.claim.release()
            }
        }
        for notice in run.notices { notices.tell(notice.diagnosis, to: events) }
    }

    /// Prints the record of a finished run that neither ledger nor spool takes.
    private func keepByHand(_ run: OpenRun, _ verdict: RunVerdict, _ error: LedgerError, _ events: Events) {
        var record = run.record
        record.close(verdict, at: now(), elapsed: run.elapsed)
        events(.notice(error.diagnosis.notice))
        guard let line = try? RecordLine(owner: 0, record: record.bounded).encoded() else { return }
        events(.notice("the record of this run is printed and kept nowhere else; next: copy the line that begins with {\"owner\""))
        inputs.lastResort(String(decoding: line, as: UTF8.self))
    }
}

/// A record that is filled while its run goes on.
final class Recording: Sendable {
    let run: OpenRun
    let collector: Mutex<RunCollector>
    /// Of the unit's link; it stands still while the record is written.
    private let clock: SessionClock

    init(run: OpenRun, collector: RunCollector, clock: SessionClock) {
        (self.run, self.clock) = (run, clock)
        self.collector = Mutex(collector)
    }

    func fill(_ record: inout RunRecord) { collector.withLock { $0.fill(&record) } }

    /// Writes what is known by now: when it returns, that is on the disk.
    /// - Throws: where neither the ledger nor its spool takes it; then the unit may not be changed.
    func save() async throws(LedgerError) { try await run.update { fill(&$0) } }

    /// Runs `body`, and writes meanwhile what a kill should not take away.
    /// - Parameter body: gets a sink for its events.
    func follow<Value>(_ body: (@escaping @Sendable (RunEvent) -> Void) async throws -> Value) async throws -> Value {
        let (changes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        async let written: Void = write(changes)
        defer { signal.finish() }
        do {
            let value = try await body { [self] event in
                if collector.withLock({ $0.take(event) }) { signal.yield() }
            }
            signal.finish()
            await written
            return value
        } catch {
            signal.finish()
            await written
            throw error
        }
    }

    /// A state that cannot be kept is reported at the close, which tries again.
    private func write(_ changes: AsyncStream<Void>) async {
        for await _ in changes { await clock.paused { try? await save() } }
    }
}
