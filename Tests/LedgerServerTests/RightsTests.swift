import Ledger
import Support
import TestSupport
import Testing

@testable import LedgerServer

/// What a station's login may do, by PostgreSQL's own client.
@Suite(.enabled(if: PostgresCluster.mayRun, "PostgreSQL is not installed: run Tools/setup tests"))
struct RightsTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    private func row(station: String, id: String = "0198f3c2-0000-7000-8000-000000000001") -> String {
        """
        (id, schema, revision, station, seq, epoch, unit_address, family, verb, started_at, ended_at, outcome, retries, versions_before,
         versions_after, digests, tool_version, host, steps)
        VALUES ('\(id)', 2, 1, '\(station)', 1, 'e', 'AA', 'monocle', 'flash', now(), now(), 'pass', 0, '{}', '{}', '{}', '1', 'h', '[]')
        """
    }

    @Test func aStationInsertsItsOwnRunsAlone() throws {
        #expect(try bench.asStation("INSERT INTO noafw.runs \(row(station: bench.station)) ON CONFLICT DO NOTHING").status == 0)
        let other = try bench.asStation(
            "INSERT INTO noafw.runs \(row(station: bench.stations[1], id: "0198f3c2-0000-7000-8000-000000000002"))")
        #expect(other.status != 0 && other.output.contains("row-level security"), "\(other.output)")
        #expect(try bench.sql("SELECT station, count(*) FROM noafw.runs GROUP BY 1") == "\(bench.station)|1")
        #expect(try bench.sql("SELECT received_at > now() - interval '1 min' FROM noafw.runs") == "t")
    }

    @Test(arguments: [
        "SELECT * FROM noafw.runs", "SELECT id FROM noafw.runs", "UPDATE noafw.runs SET outcome = 'fail'", "DELETE FROM noafw.runs",
        "TRUNCATE noafw.runs", "SELECT * FROM noafw.leases", "UPDATE noafw.leases SET expires_at = '-infinity'", "DELETE FROM noafw.leases",
        "INSERT INTO noafw.leases VALUES ('AA', '0198f3c2-0000-7000-8000-000000000001', 'x', 1, 'infinity')", "TRUNCATE noafw.leases",
        "UPDATE noafw.schema_version SET version = 9", "CREATE TABLE noafw.mine (a int)", "CREATE TABLE public.mine (a int)",
        "CREATE TEMPORARY TABLE mine (a int)", "CREATE SCHEMA mine", "DROP TABLE noafw.runs",
        "ALTER TABLE noafw.runs DISABLE ROW LEVEL SECURITY",
        "CREATE FUNCTION noafw.mine() RETURNS int LANGUAGE sql RETURN 1", "SELECT noafw.make_months()", "SELECT noafw.add_station('mine')",
        "SELECT * FROM noafw.gaps", "SELECT * FROM noafw.overlaps", "COPY noafw.runs FROM stdin", "SET ROLE noafw_reader",
        "SET ROLE postgres",
        "SELECT noafw.first_id(now())", "SELECT * FROM noafw.runs_other", "CREATE ROLE mine", "COPY (SELECT 1) TO PROGRAM 'true'",
    ])
    func everythingElseIsRefused(statement: String) throws {
        let result = try bench.asStation(statement)
        #expect(result.status != 0, "\(statement): \(result.output)")
        #expect(
            result.output.contains("permission denied") || result.output.contains("must be") || result.output.contains("not supported"),
            "\(statement): \(result.output)")
    }

    @Test func noPartitionIsWrittenDirectly() throws {
        let partitions = try bench.sql("SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'noafw.runs'::regclass").split(
            separator: "\n")
        #expect(partitions.count == 14)
        for partition in partitions {
            let result = try bench.asStation("INSERT INTO \(partition) \(row(station: bench.station))")
            #expect(result.status != 0 && result.output.contains("permission denied"), "\(partition): \(result.output)")
        }
    }

    @Test func aLoginHasLimits() throws {
        let settings = try bench.asStation("SHOW lock_timeout; SHOW statement_timeout; SHOW idle_in_transaction_session_timeout").output
        #expect(settings.split(separator: "\n") == ["2s", "5s", "10s"])
        // A connection that was left half open must not count among its few for hours. Those of TCP are of a connection by TCP alone.
        let gone = try bench.asStation("""
            SHOW client_connection_check_interval;
            SHOW tcp_keepalives_idle; SHOW tcp_keepalives_interval; SHOW tcp_keepalives_count; SHOW tcp_user_timeout
            """).output
        #expect(gone.split(separator: "\n") == ["5s", "10", "5", "3", "25000"], "\(gone)")
        #expect(try bench.sql("SELECT rolconnlimit FROM pg_roles WHERE rolname = '\(bench.station)'") == "4")
    }

    @Test func theSchemaIsMadeOnce() throws {
        let again = try bench.cluster.psql("BEGIN;\n\(ServerSchema.sql)\nCOMMIT;", database: bench.database)
        #expect(again.status != 0 && again.output.contains("already exists"), "\(again.output)")
        #expect(try bench.sql("SELECT version FROM noafw.schema_version") == "\(ServerSchema.version)")
    }

    @Test func rowsGoToTheirMonthAndOthersToTheDefault() throws {
        try bench.sql("INSERT INTO noafw.runs \(row(station: "x", id: "\(RunIDGenerator().next())"))")
        try bench.sql("INSERT INTO noafw.runs \(row(station: "x", id: "ffffffff-0000-7000-8000-000000000001"))")
        let places = try bench.sql("SELECT tableoid::regclass FROM noafw.runs ORDER BY id")
        let month = try bench.sql("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')")
        #expect(places == "noafw.runs_\(month)\nnoafw.runs_other")
        #expect(try bench.sql("SELECT noafw.make_months()") == "0" && bench.sql("SELECT noafw.make_months(14)") == "2")
    }
}
