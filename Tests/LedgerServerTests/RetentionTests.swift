import Ledger
import Support
import TestSupport
import Testing

@testable import LedgerServer

/// Old months go, and what is missing is told from what has gone.
@Suite(.enabled(if: PostgresCluster.mayRun, "PostgreSQL is not installed: run Tools/setup tests"))
struct RetentionTests {
    private let bench: Bench

    init() throws { bench = try Bench(stations: 1) }

    private func insert(_ numbers: [Int], month: String, station: String = "old") throws {
        for number in numbers {
            try bench.sql("""
                INSERT INTO noafw.runs (id, schema, revision, station, seq, epoch, unit_address, family, verb, started_at, ended_at, outcome,
                    retries, versions_before, versions_after, digests, tool_version, host, steps)
                VALUES (overlay(noafw.first_id('\(month)-15')::text PLACING '\(String(10_000_000 + number).suffix(7))' FROM 30)::uuid,
                    2, 1, '\(station)', \(number), 'e', 'AA', 'monocle', 'flash', now(), now(), 'pass', 0, '{}', '{}', '{}', '1', 'h', '[]')
                """)
        }
    }

    private var gaps: String { get throws { try bench.sql("SELECT station, first, last FROM noafw.gaps ORDER BY station, first") } }

    private func month(_ name: String) throws {
        try bench.sql(
            "CREATE TABLE noafw.runs_\(name) PARTITION OF noafw.runs FOR VALUES FROM "
                + "(noafw.first_id('\(name.replacing("_", with: "-"))-01')) TO (noafw.first_id('\(name.replacing("_", with: "-"))-28'))"
        )
    }

    @Test func whatHasGoneIsNoGap() throws {
        try month("2025_11")
        try month("2025_12")
        try insert([1, 2, 3, 5], month: "2025-11")
        try insert([6, 7, 9], month: "2025-12")
        try insert([1, 2, 3], month: "2025-12", station: "young")
        #expect(try gaps == "old|4|4\nold|8|8")
        #expect(try bench.sql("SELECT noafw.detach_month('2025_11')") == "runs_2025_11")
        #expect(try gaps == "old|8|8")
        #expect(try bench.sql("SELECT count(*) FROM noafw.runs_2025_11") == "4" && bench.sql("SELECT count(*) FROM noafw.runs") == "6")
        try bench.sql("SELECT noafw.detach_month('2025_12'); DROP TABLE noafw.runs_2025_11, noafw.runs_2025_12")
        #expect(try gaps == "")
        // What comes late of a month that has gone.
        try insert([4], month: "2025-11")
        #expect(try gaps == "" && bench.sql("SELECT count(*) FROM noafw.runs_other") == "1")
    }

    @Test(arguments: ["2999_01", "2025-11", "other", "2025_11'; DROP TABLE noafw.leases; --", "1999_01"]) func noOtherTableIsDetached(
        name: String
    ) throws {
        #expect(throws: PostgresCluster.Failure.self) { try bench.sql("SELECT noafw.detach_month('\(name.replacing("'", with: "''"))')") }
        let now = try bench.sql("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')")
        #expect(throws: PostgresCluster.Failure.self) { try bench.sql("SELECT noafw.detach_month('\(now)')") }
        #expect(try bench.sql("SELECT count(*) FROM pg_inherits WHERE inhparent = 'noafw.runs'::regclass") == "14")
        #expect(try bench.asStation("SELECT noafw.detach_month('2025_11')").output.contains("permission denied"))
    }

    /// The station has told that it wrote them.
    @Test func aLostTailIsAGap() async throws {
        let sink = PostgreSQLRuns(lane: try bench.lane())
        let runs = Runs.closed(9, station: bench.station)
        let epoch = try #require(runs[0].epoch)
        try await sink.insert(runs, last: RunNumber(epoch: epoch, seq: 9), within: .seconds(8))
        #expect(try gaps == "")
        try bench.sql("DELETE FROM noafw.runs WHERE seq IN (3, 8, 9)")
        #expect(try gaps == "\(bench.station)|3|3\n\(bench.station)|8|9")
        // A number that was told once is not taken back.
        try await sink.insert([runs[2]], last: RunNumber(epoch: epoch, seq: 4), within: .seconds(8))
        #expect(try gaps == "\(bench.station)|8|9")
        #expect(try bench.asStation("SELECT * FROM noafw.numbers").output.contains("permission denied"))
        #expect(try bench.asStation("UPDATE noafw.numbers SET told = 0").output.contains("permission denied"))
    }
}
