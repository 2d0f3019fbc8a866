import Bluetooth
import Foundation
import Ledger
import MonocleFamily
import Provisioning
import Support
import Synchronization

@testable import noafw

/// A ledger in memory, which fails when a test says so.
final class FakeLedger: RunLedger, RunOutbox {
    private struct State {
        var records: [RunRecord] = []
        var notices: [LedgerNotice] = []
        var beginFails = false
        var closeFails = false
        var putFails = false
        var readFails = false
    }

    static let refusal = LedgerError.notRecorded(ledger: "full", spool: "full")

    private let state = Mutex(State())
    /// Lets a record's later states in; `nil` holds none up.
    private let gate: Inbox<Void>?
    /// Of each change, in real time.
    private let delay: Duration?

    init(
        beginFails: Bool = false, putFails: Bool = false, closeFails: Bool = false, readFails: Bool = false, notices: [LedgerNotice] = [],
        gate: Inbox<Void>? = nil, delay: Duration? = nil
    ) {
        (self.gate, self.delay) = (gate, delay)
        state.withLock { state in
            (state.beginFails, state.putFails, state.closeFails, state.readFails) = (beginFails, putFails, closeFails, readFails)
            state.notices = notices
        }
    }

    var records: [RunRecord] { state.withLock(\.records) }

    func begin(_ record: RunRecord, rebindsSerial: Bool) async throws(LedgerError) -> Recorded {
        guard !state.withLock(\.beginFails) else { throw Self.refusal }
        if !rebindsSerial, let serial = record.serial, let conflict = try await conflict(serial, at: record.unitAddress) { throw conflict }
        return state.withLock { state in
            state.records.append(record)
            return Recorded(record, notices: state.notices)
        }
    }

    func put(_ record: RunRecord) async throws(LedgerError) -> Recorded {
        if let delay { try? await SessionClock.continuous.sleep(for: delay) }
        guard !state.withLock({ record.isOpen ? $0.putFails : $0.closeFails }) else { throw Self.refusal }
        if record.isOpen, let gate { _ = try? await gate.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous) }
        return state.withLock { state in
            guard let index = state.records.firstIndex(where: { $0.id == record.id }) else { return Recorded(record) }
            var next = record
            if !record.isOpen { next.seq = Int64(index + 1) }
            if state.records[index].revision < record.revision { state.records[index] = next }
            return Recorded(next)
        }
    }

    func withdraw(_ run: RunID) async -> Bool {
        state.withLock { $0.records.removeAll { $0.id == run } }
        return true
    }

    func unsent(station: String, limit: Int) async throws(LedgerError) -> [RunRecord] { [] }
    func unsentCount(station: String) async throws(LedgerError) -> Int { 0 }
    func markSent(_ ids: [RunID]) async throws(LedgerError) {}
    func markRejected(_ run: RejectedRun) async throws(LedgerError) {}
    func lastNumber(station: String) async throws(LedgerError) -> RunNumber? { nil }
    var unreadable: LedgerNotice? { nil }
    func isOver(_ run: RunID, station: String) async -> Bool { false }

    func lastPass(of unitAddress: String) async throws(LedgerError) -> PassedRun? {
        if state.withLock(\.readFails) { throw LedgerError.unreadable(path: "ledger", reason: "damaged") }
        return records.last { $0.unitAddress == unitAddress && $0.outcome == .pass }
            .map { PassedRun(id: $0.id, verb: $0.verb, endedAt: $0.endedAt ?? $0.startedAt) }
    }

    func conflict(_ serial: String, at unitAddress: String) async throws(LedgerError) -> LedgerError? {
        SerialBinding.conflict(serial, at: unitAddress) { key in
            let named = records.last { run in
                switch key {
                case .serial(let serial): run.serial == serial
                case .unit(let address): run.unitAddress == address && run.serial != nil
                }
            }
            return named.map { SerialBinding(serial: $0.serial ?? "", unitAddress: $0.unitAddress, run: "\($0.id)") }
        }
    }

    func runs(_ filter: RunFilter) async throws(LedgerError) -> [RunRecord] {
        if state.withLock(\.readFails) { throw LedgerError.unreadable(path: "ledger", reason: "damaged") }
        return records.filter { run in
            (filter.serial == nil || run.serial == filter.serial) && (filter.unit == nil || run.unitAddress == filter.unit)
                && (filter.outcome == nil || run.outcome == filter.outcome)
        }.suffix(filter.limit ?? .max)
    }
}

/// A radio that nobody uses.
struct IdleCentral: Central {
    struct NotExpected: Error {}

    let clock: SessionClock

    func discover() async throws -> any Discovery { throw NotExpected() }
    func connect(to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant) async throws -> any Connection {
        throw NotExpected()
    }
}

/// A made-up job on a made-up unit, recorded.
struct RecordBench: Sendable {
    let ledger: FakeLedger
    let time = ManualTime(wakingUntil: .zero)
    /// Of the unit's link; `nil` is ``time``.
    var clock: SessionClock?
    let notices = Inbox<String>()
    let lines = Inbox<String>()
    var inputs = RecordInputs()

    init(_ ledger: FakeLedger = FakeLedger()) {
        self.ledger = ledger
        inputs.station = "line-1"
        inputs.lastResort = { [lines] in lines.deliver($0) }
    }

    func unit(_ number: Int = 1) -> StationUnit {
        StationUnit(
            support: .monocle, central: IdleCentral(clock: clock ?? time.clock),
            address: DeviceAddress("C0:00:00:00:00:0\(number)") ?? Self.nobody, isVirtual: true,
            rssi: -61)
    }

    private static let nobody = DeviceAddress("00:00:00:00:00:00")!

    private var events: RunRecorder.Events { { [notices] in if case .notice(let text) = $0.content { notices.deliver(text) } } }

    func recorder(uploads: (any RunUploads)? = nil) -> RunRecorder {
        var inputs = inputs
        inputs.now = { UTCTime(microseconds: 1_795_000_000_000_000) }
        return RunRecorder(inputs, ledger: ledger, uploads: uploads, events: events)
    }

    @discardableResult
    func run<Report: RecordedReport>(
        _ recorder: RunRecorder? = nil, unit number: Int = 1, serial: String? = nil,
        _ body: (@Sendable (RunEvent) -> Void) async throws -> Report
    ) async throws -> Report {
        try await record(recorder, unit: number, serial: serial) { events, _ in try await body(events) }
    }

    @discardableResult
    func record<Report: RecordedReport>(
        _ recorder: RunRecorder? = nil, unit number: Int = 1, serial: String? = nil,
        _ body: (@escaping @Sendable (RunEvent) -> Void, Recording) async throws -> Report
    ) async throws -> Report {
        let start = RunRecorder.Start(verb: "flash", unit: unit(number), assets: AssetSet(), serial: serial)
        return try await (recorder ?? self.recorder()).record(start, events: events, body)
    }

    func event(_ content: RunEvent.Content) -> RunEvent { RunEvent(unit: nil, time: time.clock.now, content: content) }

    static func report(_ error: Diagnosis? = nil, firmware: String = "v2") -> UnitReport {
        UnitReport(identity: identity(firmware), family: .monocle, steps: [], error: error)
    }

    static func identity(_ firmware: String) -> UnitIdentity {
        UnitIdentity(address: nobody, name: "monocle", versions: [.firmware: firmware], facts: [.battery(percent: 77)])
    }

    static let unitFault = Diagnosis("FPGA-0003", .unitFailed, .unit, "m", cause: "c", remedy: "r")
    static let radioFault = Diagnosis("BLE-0003", .tryAgain, .radio, "m", cause: "c", remedy: "r")
}
