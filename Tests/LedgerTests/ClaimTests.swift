import Support
import Synchronization
import Testing

@testable import Ledger

/// A run's claim, from before its record to after its close.
@Suite struct ClaimTests {
    private let log = Log()
    private let start = RunStart(station: "line", unitAddress: "AA", family: "monocle", verb: "flash", toolVersion: "1", host: "h")

    @Test func theClaimIsThereBeforeTheRecordAndGoesAfterItsClose() async throws {
        let ledger = MemoryLedger(log: log)
        let run = try await ledger.open(start, claims: StubClaims(log: log, claim: StubClaim(log: log)), clock: LedgerClock())
        #expect(run.record.claim == .held && run.record.claimToken == 7)
        try await run.close(.pass)
        #expect(log.lines == ["claim AA", "begin held", "put held", "release"])
        #expect(try await run.close(.pass) == nil)
    }

    @Test func aClaimThatWasLostIsWrittenInTheRecord() async throws {
        let claim = StubClaim(log: log)
        let run = try await MemoryLedger(log: log).open(start, claims: StubClaims(log: log, claim: claim), clock: LedgerClock())
        claim.lose()
        let record = try await run.close(.pass)
        #expect(record?.claim == .lost && record?.claimToken == 7)
    }

    @Test func aUnitOfAnotherStationLeavesNoRecord() async throws {
        let refusal = ClaimError.taken(unit: "AA", station: "line-2", until: UTCTime(microseconds: 0))
        await #expect(throws: refusal) {
            try await MemoryLedger(log: log).open(start, claims: StubClaims(log: log, refusal: refusal), clock: LedgerClock())
        }
        #expect(log.lines == ["claim AA"])
        #expect(refusal.diagnosis.message.contains("line-2") && refusal.diagnosis.message.contains("1970-01-01T00:00:00"))
        #expect(refusal.diagnosis.category == .tryAgain)
    }

    @Test func aRunThatCannotBeRecordedGivesItsUnitFree() async throws {
        let ledger = MemoryLedger(log: log, refusal: .notRecorded(ledger: "full", spool: "full"))
        await #expect(throws: LedgerError.self) {
            try await ledger.open(start, claims: StubClaims(log: log, claim: StubClaim(log: log)), clock: LedgerClock())
        }
        #expect(log.lines == ["claim AA", "begin held", "release"])
    }

    @Test func withoutAServerNothingIsSaidOfClaims() async throws {
        let run = try await MemoryLedger(log: log).open(start, claims: LocalClaims(), clock: LedgerClock())
        #expect(run.record.claim == nil && run.record.claimToken == nil && run.claim.isHeld && run.claim.mayBeginErase)
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

    func begin(_ record: RunRecord, rebindsSerial: Bool) async throws(LedgerError) -> Recorded { try note("begin", record) }
    func put(_ record: RunRecord) async throws(LedgerError) -> Recorded { try note("put", record) }

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
