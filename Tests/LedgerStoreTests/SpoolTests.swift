import Foundation
import Glibc
import Ledger
import Support
import TestSupport
import Testing

@testable import LedgerStore

/// Records beside a ledger that cannot be written.
@Suite struct SpoolTests {
    let folder: TemporaryFolder
    let time = TestTime()

    init() throws { folder = try TemporaryFolder() }

    private func ledger(lockTimeout: Duration = .seconds(60)) -> SQLiteLedger {
        SQLiteLedger(folder: folder.path("ledger"), now: { [time] in time.now }, migrator: LedgerSchema.migrator, lockTimeout: lockTimeout)
    }

    /// Another process that holds the lock for ever.
    private func withLock(_ body: () async throws -> Void) async throws {
        let descriptor = open(folder.path("ledger/ledger.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(flock(descriptor, LOCK_EX) == 0)
        defer { close(descriptor) }
        try await body()
    }

    @Test func aLockedLedgerStopsNoRun() async throws {
        let ledger = ledger(lockTimeout: .milliseconds(20))
        try await ledger.open(Samples.start(1), clock: time.clock()).close(.pass)
        try await withLock {
            let run = try await ledger.open(Samples.start(2), clock: time.clock())
            try await run.update { $0.steps.append(RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 5)) }
            try await run.close(.pass)
            #expect(run.notices.map(\.diagnosis.code) == ["LED-0021"])
            let second = try await ledger.open(Samples.start(3), clock: time.clock())
            #expect(second.notices.map(\.diagnosis.code) == ["LED-0021"])
            try await second.close(.pass)
        }
        #expect(try await ledger.runs().count == 1)
        #expect(try await ledger.check().spooledBytes > 0)
        let next = try await self.ledger().open(Samples.start(4), clock: time.clock())
        #expect(next.notices == [.spoolTakenIn(records: 2)])
        #expect(try await ledger.runs().map(\.seq) == [1, 2, 3, nil])
        #expect(try await ledger.runs()[1].steps.map(\.name) == ["firmware"])
        #expect(try await self.ledger().open(Samples.start(5), clock: time.clock()).notices.isEmpty)
    }

    /// The plan is written before the unit is changed: into the file, else into the spool, else nothing is begun.
    @Test func aPlanThatTheFileDoesNotTakeIsInTheSpool() async throws {
        let ledger = ledger(lockTimeout: .milliseconds(20))
        let run = try await ledger.open(Samples.start(1), clock: time.clock())
        try await withLock {
            try await run.update { $0.plan = "{\"unit\":1}" }
            #expect(try Spool.parse(folder.read("ledger/spool.jsonl")).lines.map(\.record.plan) == ["{\"unit\":1}"])
            try FileManager.default.removeItem(atPath: folder.path("ledger/spool.jsonl"))
            try FileManager.default.createDirectory(atPath: folder.path("ledger/spool.jsonl"), withIntermediateDirectories: false)
            let error = await #expect(throws: LedgerError.self) { try await run.update { $0.plan = "{\"unit\":2}" } }
            #expect(error?.diagnosis.code == "LED-0001" && error?.obstacle == nil)
        }
    }

    /// The run began in the file, and was closed in the spool, before the process died.
    @Test func aRunThatWasClosedInTheSpoolIsNotAbandoned() async throws {
        var ledger: SQLiteLedger? = ledger(lockTimeout: .milliseconds(20))
        let run = try await #require(ledger).open(Samples.start(1), clock: time.clock())
        try await withLock { try await run.close(.pass) }
        ledger = nil
        let next = try await self.ledger().open(Samples.start(2), clock: time.clock())
        #expect(next.notices == [.spoolTakenIn(records: 1)])
        #expect(try await self.ledger().runs().map(\.outcome) == [.pass, nil])
    }

    @Test func aRunThatWasLeftOpenInTheSpoolIsClosed() async throws {
        let mark: Int64 = 4711
        try folder.write("", to: "ledger/x")
        let record = Samples.start(1).begun(as: RunIDGenerator().next(), at: time.now)
        try spool.append(record, owner: mark)
        let next = try await ledger().open(Samples.start(2), clock: time.clock())
        #expect(next.notices.map(\.diagnosis.code) == ["LED-0022", "LED-0020"])
        #expect(try await ledger().runs().map(\.outcome) == [.aborted, nil])
    }

    /// As when a kill comes between the commit and the emptying of the spool.
    @Test func whatIsTakenInTwiceIsThereOnce() async throws {
        try folder.write("", to: "ledger/x")
        var record = Samples.start(1).begun(as: RunIDGenerator().next(), at: time.now)
        try spool.append(record, owner: 1)
        record.close(.pass, at: time.now, elapsed: .seconds(1))
        try spool.append(record, owner: 1)
        let bytes = try folder.read("ledger/spool.jsonl")
        for unit in 2...4 {
            try folder.write(bytes, to: "ledger/spool.jsonl")
            try await ledger().open(Samples.start(unit), clock: time.clock()).close(.pass)
        }
        #expect(try await ledger().runs().map(\.seq) == [1, 2, 3, 4])
        #expect(try await ledger().check().gaps.isEmpty)
        #expect(try folder.read("ledger/spool.jsonl").isEmpty)
    }

    @Test func aTornLineLosesNoOtherAndIsKept() async throws {
        try folder.write("", to: "ledger/x")
        let ids = RunIDGenerator()
        func record() -> RunRecord {
            var record = Samples.start(1).begun(as: ids.next(), at: time.now)
            record.close(.pass, at: time.now, elapsed: .seconds(1))
            return record
        }
        let whole = try RecordLine(owner: 1, record: record()).encoded()
        let newer = String(decoding: whole, as: UTF8.self).replacing("\"schema\":\(RunRecord.currentSchema)", with: "\"schema\":9")
        try folder.write(whole + Array("\n\(newer)\n\u{0}garbage\n{\"schema\":1}\n".utf8) + whole.prefix(200), to: "ledger/spool.jsonl")
        try spool.append(record(), owner: 1)
        try folder.write(try folder.read("ledger/spool.jsonl") + whole.prefix(300), to: "ledger/spool.jsonl")
        let next = try await ledger().open(Samples.start(2), clock: time.clock())
        #expect(
            next.notices == [.spoolTakenIn(records: 2), .spoolLinesRejected(lines: 5, path: folder.path("ledger/spool-rejected.jsonl"))])
        #expect(try await ledger().runs().count == 3)
        let kept = try folder.read("ledger/spool-rejected.jsonl").split(separator: UInt8(ascii: "\n"))
        #expect(kept.count == 5 && Array(kept[0]) == Array(newer.utf8))
    }

    @Test func aSpoolAndItsLinesAreBounded() throws {
        try folder.write("", to: "ledger/spool.jsonl")
        var record = Samples.start(1).begun(as: RunIDGenerator().next(), at: time.now)
        let line = try RecordLine(owner: 1, record: record).encoded()
        try #require(truncate(folder.path("ledger/spool.jsonl"), off_t(Spool.byteLimit - line.count + 1)) == 0)
        #expect(throws: StorageFault.self) { try spool.append(record, owner: 1) }
        #expect(spool.byteCount == Spool.byteLimit - line.count + 1, "as before")
        try #require(truncate(folder.path("ledger/spool.jsonl"), off_t(Spool.byteLimit - line.count)) == 0)
        try spool.append(record, owner: 1)
        #expect(spool.byteCount == Spool.byteLimit + 2, "with its own line ends")
        try #require(truncate(folder.path("ledger/spool.jsonl"), 0) == 0)
        record.plan = String(repeating: "p", count: RecordLine.byteLimit)
        #expect(throws: StorageFault.self) { try spool.append(record, owner: 1) }
        #expect(spool.byteCount == 0)
    }

    @Test func withoutSpoolNothingIsStarted() async throws {
        let ledger = ledger(lockTimeout: .milliseconds(20))
        try FileManager.default.createDirectory(atPath: folder.path("ledger/spool.jsonl"), withIntermediateDirectories: true)
        let run = try await ledger.open(Samples.start(1), clock: time.clock())
        try await withLock {
            await #expect { _ = try await ledger.open(Samples.start(2), clock: time.clock()) } throws: { error in
                (error as? LedgerError)?.diagnosis.code == "LED-0001"
            }
            await #expect(throws: LedgerError.self) { try await run.close(.pass) }
        }
        let next = try await ledger.open(Samples.start(3), clock: time.clock())
        #expect(next.notices.map(\.diagnosis.code) == ["LED-0025"])
        // What could not be recorded can be tried again.
        #expect(try await run.close(.pass)?.seq == 1)
        #expect(try await run.close(.pass) == nil)
    }

    private var spool: Spool {
        let files = LedgerFiles(folder: folder.path("ledger"))
        return Spool(path: files.spool, rejectedPath: files.rejected, reservePath: files.reserve)
    }
}
