import Foundation
import Ledger
import LedgerStore
import Support
import TestSupport
import Testing

@testable import LedgerServer

/// Runs on their way from SQLite to PostgreSQL.
@Suite(.enabled(if: PostgresCluster.mayRun, "PostgreSQL is not installed: run Tools/setup tests"))
struct UploadServerTests {
    let bench: Bench
    let folder: TemporaryFolder

    init() throws { (bench, folder) = (try Bench(), try TemporaryFolder()) }

    private func uploads(_ outbox: any RunOutbox, _ bench: Bench) throws -> ServerUploads {
        ServerUploads(PostgreSQLRuns(lane: try bench.lane()), outbox: outbox, station: bench.station)
    }

    private func record(
        _ count: Int, in ledger: SQLiteLedger, _ bench: Bench, _ change: (Int, inout RunRecord) -> Void = { _, _ in }
    ) async throws {
        for number in 0..<count {
            var start = RunRecord(
                station: bench.station, unitAddress: "C0:00:00:00:0\(number / 10 % 10):0\(number % 10)", family: "monocle", verb: "flash",
                toolVersion: "1", host: "h")
            change(number, &start)
            let run = try await ledger.open(start, clock: LedgerClock())
            try await run.update { $0.steps.append(RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 9000, bytes: 225_000)) }
            try await run.close(.pass) { $0.versionsAfter = ["firmware": "v23"] }
        }
    }

    /// No gap, nothing twice.
    private func expectWhole(_ count: Int, _ bench: Bench) throws {
        let sql = "SELECT count(*), count(DISTINCT id), count(DISTINCT seq), min(seq), max(seq) FROM noafw.runs"
        #expect(try bench.sql(sql) == "\(count)|\(count)|\(count)|1|\(count)")
        #expect(try bench.sql("SELECT count(*) FROM noafw.gaps") == "0")
    }

    @Test func whatARecordSaysArrives() async throws {
        let ledger = SQLiteLedger(folder: folder.path("ledger"))
        let hostile = [
            "a\u{0}b", "'; DROP TABLE noafw.runs; --", "\\u0000 \\ud800", "\u{FFFF}\u{1F600}", "é\u{301}", #"{"a":"\u0000"}"#, "\\"
        ]
        try await record(hostile.count, in: ledger, bench) { number, start in
            (start.serial, start.operatorName, start.workOrder) = (hostile[number], hostile[number], hostile[number])
            start.plan = #"{"text":"\u0000\ud800","steps":[1,2]}"#
        }
        let report = await (try uploads(ledger, bench)).send(within: .seconds(20))
        #expect(report.sent == hostile.count && report.rejected.isEmpty && report.left == 0, "\(report)")
        try expectWhole(hostile.count, bench)
        let kept = try await ledger.runs()
        let rows = try bench.sql("SELECT json_agg(r ORDER BY seq) FROM noafw.runs r")
        let objects = try #require(try JSONSerialization.jsonObject(with: Data(rows.utf8)) as? [[String: Any]])
        for (object, run) in zip(objects, kept) {
            #expect(
                object["id"] as? String == "\(run.id)" && object["serial"] as? String == run.serial
                    && object["operator"] as? String == run.operatorName)
            #expect((object["plan"] as? [String: Any])?["text"] as? String == "\u{FFFD}\u{FFFD}")
            #expect(
                (object["versions_after"] as? [String: String]) == ["firmware": "v23"] && (object["steps"] as? [[String: Any]])?.count == 1)
        }
        #expect(
            try bench.sql("SELECT (extract(epoch FROM started_at) * 1000000)::bigint FROM noafw.runs WHERE seq = 1")
                == "\(kept[0].startedAt.microseconds)")
        #expect(try await ledger.unsentCount(station: bench.station) == 0)
    }

    @Test func anAnswerThatWasLostSendsNothingTwice() async throws {
        let runs = Runs.closed(30, station: bench.station)
        let sink = PostgreSQLRuns(lane: try bench.lane())
        try await sink.insert(Array(runs[..<20]), last: nil, within: .seconds(8))
        try await sink.insert(Array(runs[10...]), last: nil, within: .seconds(8))
        try await sink.insert(runs, last: nil, within: .seconds(8))
        try expectWhole(30, bench)
    }

    @Test func aPoisonedRowIsParkedAndNothingOfItIsLogged() async throws {
        let ledger = SQLiteLedger(folder: folder.path("ledger"))
        try await record(12, in: ledger, bench) { number, start in start.serial = "SECRET-\(number)" }
        try bench.sql("ALTER TABLE noafw.runs ADD CHECK (serial <> 'SECRET-4')")
        let report = await (try uploads(ledger, bench)).send(within: .seconds(20))
        #expect(report.sent == 11 && report.left == 0 && report.rejected.count == 1, "\(report)")
        #expect(report.rejected[0].reason.contains("23514"))
        #expect(try bench.sql("SELECT first, last FROM noafw.gaps") == "5|5")
        // It stays in sight until it is sent.
        #expect(await (try uploads(ledger, bench)).send(within: .seconds(20)).left == 0)
        #expect(try await ledger.rejected(station: bench.station) == report.rejected)
        #expect(try await ledger.rejected(station: "other").isEmpty)
        let check = try await ledger.check()
        #expect(check.refusedRuns.values.reduce(0, +) == 1 && !check.isSound)
        #expect(
            bench.cluster.log.contains("23514") || bench.cluster.log.contains("check constraint") && !bench.cluster.log.contains("SECRET"))
        try bench.sql("ALTER TABLE noafw.runs DROP CONSTRAINT runs_serial_check")
        #expect(try await ledger.retryRejected(station: bench.station) == 1)
        #expect(await (try uploads(ledger, bench)).send(within: .seconds(20)).sent == 1)
        try expectWhole(12, bench)
        #expect(try await ledger.check().isSound)
        #expect(try await ledger.rejected(station: bench.station).isEmpty)
    }

    @Test func whatWaitsUnderAnotherNameIsCounted() async throws {
        let ledger = SQLiteLedger(folder: folder.path("ledger"))
        try await record(3, in: ledger, bench)
        #expect(try await ledger.unsentElsewhere(than: "other") == [bench.station: 3])
        #expect(try await ledger.unsentElsewhere(than: bench.station) == [:])
    }

    @Test func rightsThatAreMissingParkNothing() async throws {
        let ledger = SQLiteLedger(folder: folder.path("ledger"))
        try await record(3, in: ledger, bench)
        try bench.sql("REVOKE INSERT ON noafw.runs FROM noafw_station")
        let report = await (try uploads(ledger, bench)).send(within: .seconds(5))
        #expect(report.sent == 0 && report.left == 3 && report.rejected.isEmpty && report.failure?.code == "LED-0123", "\(report)")
        try bench.sql("GRANT INSERT ON noafw.runs TO noafw_station")
        #expect(await (try uploads(ledger, bench)).send(within: .seconds(5)).sent == 3)
    }

    /// Killed as by a power cut, in the middle, several times.
    @Test func aServerThatIsKilledLosesNothing() async throws {
        let bench = try Bench(try PostgresCluster(), stations: 1)
        let ledger = SQLiteLedger(folder: folder.path("ledger"))
        try await record(120, in: ledger, bench)
        let uploads = ServerUploads(
            SmallBatches(sink: PostgreSQLRuns(lane: try bench.lane())), outbox: FewAtOnce(outbox: ledger), station: bench.station)
        let sending = Task { await uploads.send(within: .seconds(60)) }
        for _ in 0..<3 {
            try await Task.sleep(for: .milliseconds(400))
            bench.cluster.killAtOnce()
            try await Task.sleep(for: .milliseconds(300))
            try bench.cluster.start()
        }
        let report = await sending.value
        #expect(report.sent == 120 && report.left == 0 && report.rejected.isEmpty, "\(report)")
        try expectWhole(120, bench)
        #expect(try await ledger.check().isSound)
    }
}

/// Throws one answer in ten away after the server has done its part.
private struct SmallBatches: RunSink {
    let sink: PostgreSQLRuns

    func insert(_ runs: [RunRecord], last: RunNumber?, within limit: Duration) async throws(ServerFault) {
        try await sink.insert(runs, last: last, within: limit)
        try? await Task.sleep(for: .milliseconds(15))
        if Int.random(in: 0..<10) == 0 { throw .lost("thrown away") }
    }
}

private struct FewAtOnce: RunOutbox {
    let outbox: any RunOutbox

    func unsent(station: String, limit: Int) async throws(LedgerError) -> [RunRecord] {
        try await outbox.unsent(station: station, limit: 3)
    }
    func unsentCount(station: String) async throws(LedgerError) -> Int { try await outbox.unsentCount(station: station) }
    func markSent(_ ids: [RunID]) async throws(LedgerError) { try await outbox.markSent(ids) }
    func markRejected(_ run: RejectedRun) async throws(LedgerError) { try await outbox.markRejected(run) }
    func lastNumber(station: String) async throws(LedgerError) -> RunNumber? { try await outbox.lastNumber(station: station) }
    var unreadable: LedgerNotice? { outbox.unreadable }
}
