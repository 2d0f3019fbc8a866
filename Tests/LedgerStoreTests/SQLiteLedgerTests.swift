import Dispatch
import Foundation
import GRDB
import Glibc
import Ledger
import Support
import TestSupport
import Testing

@testable import LedgerStore

@Suite struct SQLiteLedgerTests {
    let folder: TemporaryFolder
    let time = TestTime()
    let ledger: SQLiteLedger

    init() throws {
        let (folder, time) = (try TemporaryFolder(), time)
        self.folder = folder
        ledger = SQLiteLedger(folder: folder.path("ledger"), now: { time.now })
    }

    /// DatabasePool undoes what is set before it is open.
    @Test func aCommitIsOnTheDisk() async throws {
        _ = try await ledger.open(Samples.start(), clock: time.clock())
        let pool = try #require(try ledger.forReading()).pool
        func pragma(_ name: String) throws -> String? {
            try pool.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA \(name)") }
        }
        #expect(try pragma("synchronous") == "2")
        #expect(try pragma("journal_mode") == "wal")
        #expect(try pragma("foreign_keys") == "1")
        #expect(try pragma("wal_autocheckpoint") == "0")
        #expect(try pragma("busy_timeout") == "5000")
    }

    @Test func aRunIsRecordedBeforeItsUnitIsTouchedAndKeepsEveryField() async throws {
        let run = try await ledger.open(Samples.fullStart(), clock: time.clock())
        let reader = SQLiteLedger(folder: folder.path("ledger"))
        #expect(try await reader.runs().map(\.isOpen) == [true])
        try await run.update(Samples.fill)
        time.move(seconds: 20)
        let closed = try #require(try await run.close(RunVerdict(Samples.unitFault)))
        let kept = try #require(try await reader.runs().first)
        #expect(kept == closed && kept == run.record)
        #expect((kept.outcome, kept.blame, kept.code) == (.fail, .unit, "FPGA-0003"))
        #expect(kept.seq == 1 && kept.epoch?.count == 16 && kept.serial == "SN 0001, \"a\"" && kept.steps.count == 2)
        #expect(kept.endedAt == time.now && kept.operatorName == "Ada" && kept.batch == "B-9")
        #expect(Mirror(reflecting: kept).children.allSatisfy { "\($0.value)" != "nil" || $0.label == "attemptOf" })
        #expect(run.notices.isEmpty)
    }

    /// Whatever is written meanwhile: the heads of a JUnit file have to fit their cases.
    @Test func anExportSeesOneMoment() async throws {
        for number in 1...4 { try await ledger.open(Samples.start(number), clock: time.clock()).close(.pass) }
        _ = try await ledger.open(Samples.start(5), clock: time.clock())
        let path = folder.path("ledger/ledger.sqlite")
        let (before, after) = try await ledger.atOneMoment { source in
            func all() throws -> [RunRecord] {
                var runs: [RunRecord] = []
                try source.forEach(RunFilter(), of: nil) { runs.append($0) }
                return runs
            }
            let before = try all()
            try DatabaseQueue(path: path).write {
                try $0.execute(sql: "UPDATE runs SET verb = 'later'; DELETE FROM outbox; DELETE FROM runs WHERE number = 2")
            }
            return (before, try all())
        }
        #expect(before == after && before.count == 5)
        #expect(try await ledger.runs().map(\.verb) == ["later", "later", "later", "later"])
    }

    @Test func partsOfAnExportAreItsRunsByStationAndTime() async throws {
        for number in 1...6 {
            var start = Samples.start(number)
            start.station = number % 2 == 0 ? "even" : "odd"
            let run = try await ledger.open(start, clock: time.clock())
            if number != 6 { try await run.close(number == 3 ? RunVerdict(Samples.unitFault) : .pass) }
            time.move(seconds: 60)
        }
        let times = try await ledger.runs().map(\.startedAt)
        var newest = RunFilter()
        newest.limit = 4
        for (filter, part, expected) in [
            (RunFilter(), nil, [0, 1, 2, 3, 4, 5]), (newest, nil, [2, 3, 4, 5]),
            (RunFilter(), RunPart(station: "odd", first: times[0], last: times[2]), [0, 2]),
            (newest, RunPart(station: "odd", first: times[0], last: times[4]), [2, 4]),
            (newest, RunPart(station: "even", first: times[0], last: times[5]), [3]),
        ] {
            let found = try await ledger.atOneMoment { source in
                var found: [UTCTime] = []
                try source.forEach(filter, of: part) { found.append($0.startedAt) }
                return found
            }
            #expect(found == expected.map { times[$0] })
        }
        var failed = newest
        failed.outcome = .pass
        failed.limit = 2
        #expect(try await ledger.runs(failed).map(\.startedAt) == [times[3], times[4]])
    }

    @Test func theLastPassOfAUnitIsKnown() async throws {
        let (address, other) = (Samples.start(1).unitAddress, Samples.start(2).unitAddress)
        #expect(try await ledger.lastPass(of: address) == nil, "no file is made by asking")
        #expect(!FileManager.default.fileExists(atPath: folder.path("ledger")))
        var passed: RunRecord?
        for verdict in [RunVerdict.pass, .pass, RunVerdict(Samples.unitFault)] {
            time.move(seconds: 60)
            let run = try await ledger.open(Samples.start(1), clock: time.clock()).close(verdict)
            if run?.outcome == .pass { passed = run }
        }
        _ = try await ledger.open(Samples.start(1), clock: time.clock())
        let expected = try #require(passed)
        #expect(
            try await ledger.lastPass(of: address)
                == PassedRun(id: expected.id, verb: expected.verb, endedAt: try #require(expected.endedAt)))
        #expect(try await ledger.lastPass(of: other) == nil)
        let plan = try await ledger.reading([]) { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + SQLiteLedger.lastPass, arguments: [address])
                .map { try $0.decode(String.self, forColumn: "detail") }
        }
        #expect(plan.first == "SEARCH runs USING INDEX runs_of_unit (unit_address=?)", "\(plan)")
    }

    @Test func aRunIsClosedOnceAndChangesNoMore() async throws {
        let run = try await ledger.open(Samples.start(), clock: time.clock())
        let early = run.record
        #expect(try await run.close(.pass)?.seq == 1)
        #expect(try await run.close(RunVerdict(Samples.unitFault)) == nil)
        try await run.update { $0.steps.append(RunStep(name: "late", startMilliseconds: 0, milliseconds: 1)) }
        // A state that was on its way when the run was closed.
        #expect(try await ledger.put(early).record.outcome == .pass)
        #expect(try await ledger.runs().map(\.outcome) == [.pass])
        #expect(try await ledger.runs()[0].steps.isEmpty)
    }

    /// At one moment, of one process and of two.
    @Test(arguments: [true, false]) func aSerialNumberIsOneUnits(isShared: Bool) async throws {
        let ledgers = isShared ? [ledger, ledger] : [ledger, SQLiteLedger(folder: folder.path("ledger"))]
        for round in 0..<20 {
            let begun = try await withThrowingTaskGroup(of: Bool.self) { group in
                for (index, ledger) in ledgers.enumerated() {
                    var start = Samples.start(index + 1)
                    (start.unitAddress, start.serial) = ("\(round)-\(index)", "SN\(round)")
                    group.addTask { [start, time] in (try? await ledger.open(start, clock: time.clock())) != nil }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(begun == 1, "round \(round)")
        }
    }

    @Test func aRunIsOverOnceItIsClosedOrItsProcessIsDead() async throws {
        let writer = try WriterProcess(folder.path("ledger"), "line-1", "hold")
        let line = try #require(writer.line())
        let (other, unknown) = (try #require(RunID(line.id)), try #require(RunID("0198f3c2-0000-7000-8000-000000000001")))
        let run = try await ledger.open(Samples.start(2), clock: time.clock())
        func areOver(station: String = "line-1") async -> [Bool] {
            var all: [Bool] = []
            for id in [run.record.id, other, unknown] { all.append(await ledger.isOver(id, station: station)) }
            return all
        }
        #expect(await areOver() == [false, false, false])
        try await run.close(.pass)
        writer.kill()
        _ = writer.rest()
        #expect(await areOver() == [true, true, false])
        #expect(await areOver(station: "line-2") == [false, false, false], "another station's is not this one's to give free")
    }

    @Test func onlyAnOpenRunIsWithdrawn() async throws {
        let (first, second) = (
            try await ledger.open(Samples.start(), clock: time.clock()), try await ledger.open(Samples.start(2), clock: time.clock())
        )
        try await second.close(.pass)
        #expect(await ledger.withdraw(first.record.id))
        #expect(await !ledger.withdraw(first.record.id))
        #expect(await !ledger.withdraw(second.record.id))
        #expect(try await ledger.runs().map(\.id) == [second.record.id])
        #expect(try await ledger.check().isSound)
    }

    /// What a run did counts, whoever ended it.
    @Test func aCancelledTaskWritesAllTheSame() async throws {
        let (ledger, clock) = (ledger, time.clock())
        let run = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let run = try await ledger.open(Samples.start(), clock: clock)
            try await run.update { $0.steps.append(RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 1)) }
            return try await run.close(.pass)
        }
        let closed = try #require(try await run.value)
        #expect(closed.steps.count == 1 && closed.seq == 1)
        #expect(try await ledger.runs() == [closed])
    }

    /// Whatever the order in which the states of a run arrive.
    @Test func anOlderStateReplacesNoNewerOne() async throws {
        let run = try await ledger.open(Samples.start(), clock: time.clock())
        let first = run.record
        try await run.update { $0.steps.append(RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 1)) }
        #expect(try await ledger.put(first).record == run.record)
        #expect(try await ledger.runs() == [run.record])
        let closed = try #require(try await run.close(.pass))
        var later = first
        later.revision = 1000
        later.close(RunVerdict(Samples.unitFault), at: time.now, elapsed: .zero)
        #expect(try await ledger.put(later).record == closed)
        #expect(try await ledger.runs() == [closed])
    }

    /// A run that goes on holds back none that ends before it, and what is refused uses no number up.
    @Test func numbersAreGivenAtTheCloseWithoutGaps() async throws {
        let long = try await ledger.open(Samples.start(1), clock: time.clock())
        let short = try await ledger.open(Samples.start(2), clock: time.clock())
        let other = try await ledger.open(Samples.start(3, station: "line-2"), clock: time.clock())
        #expect(try await short.close(.pass)?.seq == 1)
        var misfit = Samples.start(4).begun(as: RunIDGenerator().next(), at: time.now)
        misfit.close(.pass, at: time.now, elapsed: .zero)
        misfit.blame = .radio
        let recorded = try await ledger.put(misfit)
        #expect(recorded.notices.map(\.diagnosis.code) == ["LED-0021"])
        #expect(try await other.close(.pass)?.seq == 1)
        #expect(other.notices.map(\.diagnosis.code) == ["LED-0023"])
        _ = try await ledger.open(Samples.start(5), clock: time.clock())
        #expect(try await long.close(.pass)?.seq == 2)
        #expect(try await ledger.runs().map(\.seq) == [2, 1, 1, nil])
        #expect(try await ledger.check().gaps.isEmpty)
        let outbox = try await #require(try ledger.forReading()).pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM outbox") }
        #expect(outbox == 3)
    }

    /// Many units at once: what has gathered is written in one go, and each gets its own answer.
    @Test func manyRunsAtOnceKeepTheirNumbers() async throws {
        let (ledger, clock, station) = (ledger, time.clock(), "line-1")
        let closed = try await withThrowingTaskGroup(of: RunRecord?.self) { group in
            for unit in 0..<300 {
                group.addTask {
                    var start = Samples.start(1, station: station)
                    start.unitAddress = "unit \(unit)"
                    let run = try await ledger.open(start, clock: clock)
                    try await run.update { $0.steps.append(RunStep(name: "\(unit)", startMilliseconds: 0, milliseconds: 1)) }
                    return try await run.close(.pass)
                }
            }
            return try await group.reduce(into: [RunRecord]()) { $0 += [$1].compactMap(\.self) }
        }
        #expect(Set(closed.compactMap(\.seq)) == Set(1...300))
        #expect(closed.allSatisfy { "unit \($0.steps[0].name)" == $0.unitAddress })
        let kept = try await ledger.runs()
        #expect(Set(kept) == Set(closed) && kept.count == 300)
    }

    /// Another program that writes the file, such as sqlite3, is waited for: a transaction that begins with a read would fail at once.
    @Test func aForeignWriterIsWaitedFor() async throws {
        let run = try await ledger.open(Samples.start(), clock: time.clock())
        let foreign = try DatabaseQueue(path: folder.path("ledger/ledger.sqlite"))
        let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? foreign.inTransaction(.immediate) { db in
                try db.execute(sql: "UPDATE stations SET last_seq = 41")
                begun.signal()
                usleep(200_000)
                return .commit
            }
            ended.signal()
        }
        await OwnThread.run { begun.wait() }
        #expect(try await run.close(.pass)?.seq == 42)
        #expect(run.notices.isEmpty)
        await OwnThread.run { ended.wait() }
    }

    @Test func theRulesStandInTheFile() async throws {
        try await ledger.open(Samples.start(), clock: time.clock()).close(.pass)
        let pool = try #require(try ledger.forReading()).pool
        for change in [
            "outcome = 'good'", "outcome = NULL", "blame = 'unit'", "serial = ''", "started_at = 'yesterday'", "seq = NULL", "steps = '[{'",
            "retries = -1", "station = 'unknown'", "id = 'x'", "elapsed_ms = -1",
        ] {
            #expect(throws: DatabaseError.self, "\(change)") { try pool.write { try $0.execute(sql: "UPDATE runs SET \(change)") } }
        }
        #expect(throws: DatabaseError.self) { try pool.write { try $0.execute(sql: "INSERT INTO outbox (run) VALUES ('nothing')") } }
    }

    /// GRDB's own asynchronous writes change nothing in a task that is cancelled.
    @Test func theRecordOfAnInterruptedRunIsKept() async throws {
        let (ledger, clock) = (ledger, time.clock())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let run = try await ledger.open(Samples.start(), clock: clock)
            try await run.update { $0.steps.append(RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 1)) }
            return try await run.close(RunVerdict(diagnose(CancellationError())))
        }
        let closed = try #require(try await task.value)
        #expect((closed.outcome, closed.blame, closed.seq) == (.aborted, .operator, 1))
        #expect(try await ledger.runs() == [closed])
    }

    @Test func aClockThatIsSetBackChangesNoDurationAndNoOrder() async throws {
        let offset = TestTime(0)
        let clock = time.clock { .microseconds(offset.now.microseconds) }
        let first = try await ledger.open(Samples.start(), clock: clock)
        time.move(seconds: -86_400)
        offset.move(seconds: 42)
        let closed = try #require(try await first.close(.pass))
        #expect(closed.elapsedMilliseconds == 42_000)
        #expect(try #require(closed.endedAt) < closed.startedAt)
        let second = try await ledger.open(Samples.start(), clock: clock)
        #expect(second.record.attemptOf == first.record.id)
        #expect(try await second.close(.pass)?.seq == 2)
        #expect(try await ledger.runs().map(\.id) == [first.record.id, second.record.id])
        time.move(seconds: 100_000)
        #expect(try await ledger.open(Samples.start(), clock: clock).record.attemptOf == first.record.id)
        #expect(first.record.id < second.record.id)
    }

    @Test func aRepetitionNamesTheFirstRunOfItsUnit() async throws {
        let first = try await ledger.open(Samples.start(1), clock: time.clock())
        time.move(seconds: 60)
        let second = try await ledger.open(Samples.start(1), clock: time.clock())
        time.move(seconds: 60)
        let third = try await ledger.open(Samples.start(1), clock: time.clock())
        var verify = Samples.start(1)
        verify.verb = "verify"
        #expect(second.record.attemptOf == first.record.id && third.record.attemptOf == first.record.id)
        #expect(try await ledger.open(verify, clock: time.clock()).record.attemptOf == nil)
        #expect(try await ledger.open(Samples.start(1, station: "line-2"), clock: time.clock()).record.attemptOf == nil)
    }

    @Test func recordsAreFoundByWhatIsKnownOfThem() async throws {
        for unit in 1...4 {
            let run = try await ledger.open(Samples.start(unit), clock: time.clock())
            try await run.close(unit == 3 ? RunVerdict(Samples.unitFault) : .pass) { $0.serial = "SN\(unit)" }
            time.move(seconds: 60)
        }
        let all = try await ledger.runs()
        func found(_ set: (inout RunFilter) -> Void) async throws -> [RunID] {
            var filter = RunFilter()
            set(&filter)
            return try await ledger.runs(filter).map(\.id)
        }
        #expect(try await found { $0.unit = "SN2" } == [all[1].id])
        #expect(try await found { $0.unit = "C0:00:00:00:00:04" } == [all[3].id])
        #expect(try await found { $0.code = "FPGA-0003" } == [all[2].id])
        #expect(try await found { $0.outcome = .pass } == [all[0].id, all[1].id, all[3].id])
        #expect(try await found { $0.since = all[1].startedAt } == [all[1].id, all[2].id, all[3].id])
        #expect(try await found { $0.limit = 2 } == [all[2].id, all[3].id])
        #expect(try await found { $0.station = "x' OR '1" }.isEmpty)
    }

    /// A child process must not keep the lock of a dead parent.
    @Test func noChildGetsTheLedgersFiles() async throws {
        _ = try await ledger.open(Samples.start(), clock: time.clock())
        var seen: Set<String> = []
        for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap({ Int32($0) }) {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"),
                target.hasPrefix(folder.url.resolvingSymlinksInPath().path)
            else { continue }
            seen.insert(URL(fileURLWithPath: target).lastPathComponent)
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0, "\(target)")
        }
        #expect(seen.isSuperset(of: ["ledger.sqlite", "ledger.sqlite-wal", "processes.lock"]))
    }

    /// SQLite writes its log back when it closes.
    @Test func nothingIsWrittenBackWithoutTheLock() async throws {
        let ledger = SQLiteLedger(folder: folder.path("ledger"), migrator: LedgerSchema.migrator, lockTimeout: .milliseconds(20))
        _ = try await ledger.open(Samples.start(), clock: time.clock())
        let log = try folder.read("ledger/ledger.sqlite-wal")
        let descriptor = open(folder.path("ledger/ledger.lock"), O_RDWR | O_CLOEXEC)
        try #require(flock(descriptor, LOCK_EX) == 0)
        defer { close(descriptor) }
        await ledger.close()
        #expect(try folder.read("ledger/ledger.sqlite-wal") == log && log.count > 4096)
    }

    @Test func theLogGrowsNoFurtherThanARun() async throws {
        for unit in 1...30 { try await ledger.open(Samples.start(unit % 9), clock: time.clock()).close(.pass) }
        #expect(try folder.read("ledger/ledger.sqlite-wal").count < 300_000)
        await ledger.close()
        #expect((try? folder.read("ledger/ledger.sqlite-wal"))?.isEmpty != false)
        #expect(try await ledger.runs().count == 30)
    }
}
