import Support
import Synchronization
import Testing

@testable import Ledger

/// A run's claim, from before its record to after its close.
@Suite struct ClaimTests {
    private let log = Log()
    private let start = RunRecord(station: "line", unitAddress: "AA", family: "monocle", verb: "flash", toolVersion: "1", host: "h")

    private func run(_ ledger: MemoryLedger, _ claims: any UnitClaims) async throws -> OpenRun {
        let run = try await ledger.open(start, clock: LedgerClock())
        try await run.claim(from: claims)
        return run
    }

    @Test func theRecordIsThereBeforeTheClaimWhichGoesAfterTheClose() async throws {
        let run = try await run(MemoryLedger(log: log), StubClaims(log: log, claim: StubClaim(log: log)))
        #expect(run.record.claim == .held && run.record.claimToken == 7)
        try await run.close(.pass)
        #expect(log.lines == ["begin -", "claim AA", "put held", "put held", "release"])
        #expect(try await run.close(.pass) == nil)
    }

    @Test func aClaimThatWasLostIsWrittenInTheRecord() async throws {
        let claim = StubClaim(log: log)
        let run = try await run(MemoryLedger(log: log), StubClaims(log: log, claim: claim))
        claim.lose()
        let record = try await run.close(.pass)
        #expect(record?.claim == .lost && record?.claimToken == 7)
    }

    @Test(arguments: [
        ClaimError.taken(unit: "AA", station: "line-2", until: UTCTime(microseconds: 0)),
        .serialBound(serial: "S", unit: "AA", known: SerialBinding(serial: "S", unitAddress: "BB", run: "r"), station: "line-2"),
    ]) func aUnitOfAnotherStationLeavesNoRecord(refusal: ClaimError) async throws {
        let run = try await MemoryLedger(log: log).open(start, clock: LedgerClock())
        await #expect(throws: refusal) { try await run.claim(from: StubClaims(log: log, refusal: refusal)) }
        #expect(try await run.close(.pass) == nil)
        #expect(log.lines == ["begin -", "claim AA", "withdraw"])
        #expect("\(refusal.diagnosis)".contains("line-2"))
    }

    /// The server may have given the unit all the same: the record tells this station that the claim is its own, and over.
    @Test func aRunWithoutAnAnswerKeepsItsRecord() async throws {
        let refusal = ClaimError.notAsked(unit: "AA", reason: "no answer in time")
        let run = try await MemoryLedger(log: log).open(start, clock: LedgerClock())
        await #expect(throws: refusal) { try await run.claim(from: StubClaims(log: log, refusal: refusal)) }
        let record = try await run.close(RunVerdict(refusal.diagnosis))
        #expect(record?.code == "LED-0101" && record?.elapsedMilliseconds == nil, "it never had its unit")
        #expect(log.lines == ["begin -", "claim AA", "put -"])
    }

    @Test func aRecordThatCannotBeTakenBackIsClosed() async throws {
        let refusal = ClaimError.taken(unit: "AA", station: "line-2", until: UTCTime(microseconds: 0))
        let run = try await MemoryLedger(log: log, withdraws: false).open(start, clock: LedgerClock())
        await #expect(throws: refusal) { try await run.claim(from: StubClaims(log: log, refusal: refusal)) }
        #expect(try await run.close(RunVerdict(refusal.diagnosis))?.blame == .station)
    }

    @Test func aCancelledRunIsInterruptedWhateverTheServerSays() async throws {
        for claims in [StubClaims(log: log, claim: StubClaim(log: log)), StubClaims(log: log)] {
            let run = try await MemoryLedger(log: log).open(start, clock: LedgerClock())
            let claiming = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await run.claim(from: claims)
            }
            await #expect(throws: CancellationError.self) { try await claiming.value }
        }
    }

    @Test func aRunThatCannotBeRecordedClaimsNothing() async throws {
        let ledger = MemoryLedger(log: log, refusal: .notRecorded(ledger: "full", spool: "full"))
        await #expect(throws: LedgerError.self) { try await ledger.open(start, clock: LedgerClock()) }
        #expect(log.lines == ["begin -"])
    }

    @Test func withoutAServerNothingIsSaidOfClaims() async throws {
        let run = try await run(MemoryLedger(log: log), LocalClaims())
        #expect(run.record.claim == nil && run.record.claimToken == nil && run.claim.isHeld && run.claim.mayBeginErase)
        #expect(log.lines == ["begin -"])
        try await run.claim.beginErase()
    }
}

private final class Log: Sendable {
    private let entries = Mutex<[String]>([])
    var lines: [String] { entries.withLock(\.self) }
    func add(_ line: String) { entries.withLock { $0.append(line) } }
}

private struct MemoryLedger: RunLedger {
    let log: Log
    var refusal: LedgerError?
    var withdraws = true

    func begin(_ record: RunRecord, rebindsSerial: Bool) async throws(LedgerError) -> Recorded { try note("begin", record) }
    func put(_ record: RunRecord) async throws(LedgerError) -> Recorded { try note("put", record) }

    func withdraw(_ run: RunID) async -> Bool {
        log.add("withdraw")
        return withdraws
    }

    func isOver(_ run: RunID, station: String) async -> Bool { false }
    func runs(_ filter: RunFilter) async throws(LedgerError) -> [RunRecord] { [] }
    func lastPass(of unitAddress: String) async throws(LedgerError) -> PassedRun? { nil }
    func conflict(_ serial: String, at unitAddress: String) async throws(LedgerError) -> LedgerError? { nil }

    private func note(_ what: String, _ record: RunRecord) throws(LedgerError) -> Recorded {
        log.add("\(what) \(record.claim?.rawValue ?? "-")")
        if let refusal { throw refusal }
        return Recorded(record)
    }
}

private struct StubClaims: UnitClaims {
    let log: Log
    var claim: StubClaim?
    var refusal = ClaimError.runsOut(unit: "none")

    func claim(_ request: ClaimRequest) async throws(ClaimError) -> any UnitClaim {
        log.add("claim \(request.unit)")
        guard let claim else { throw refusal }
        return claim
    }
}

private final class StubClaim: UnitClaim {
    private let log: Log
    private let held = Mutex(true)
    let token: Int64? = 7

    init(log: Log) { self.log = log }

    func lose() { held.withLock { $0 = false } }
    var isHeld: Bool { held.withLock(\.self) }
    var state: ClaimState? { isHeld ? .held : .lost }
    var mayBeginErase: Bool { isHeld }
    func beginErase() async throws(ClaimError) { if !isHeld { throw .runsOut(unit: "AA") } }
    func release() async { log.add("release") }
}
