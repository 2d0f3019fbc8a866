import Foundation
import Glibc
import Ledger
import LedgerStore
import Support
import TestSupport
import Testing

@testable import LedgerServer

/// A server that is set up in another way than the schema says: each is told by its own error, parks no run, and works again once mended.
@Suite(.enabled(if: PostgresCluster.mayRun, "PostgreSQL is not installed: run Tools/setup tests"))
struct SetUpTests {
    private let bench: Bench
    private let folder: TemporaryFolder
    private let ids = RunIDGenerator()

    init() throws { (bench, folder) = (try Bench(stations: 1), try TemporaryFolder()) }

    private func claim(_ policy: ClaimPolicy) async throws(ClaimError) -> any UnitClaim {
        guard let lane = try? bench.lane() else { throw .notAsked(unit: "U", reason: "no lane") }
        return try await ServerClaims(server: PostgreSQLLeases(lane: lane), policy: policy).claim(ClaimRequest(unit: "U", run: ids.next()))
    }

    private func send(_ ledger: SQLiteLedger) async throws -> UploadReport {
        await ServerUploads(PostgreSQLRuns(lane: try bench.lane()), outbox: ledger, station: bench.station).send(within: .seconds(4))
    }

    private func record(in ledger: SQLiteLedger) async throws {
        let start = RunRecord(station: bench.station, unitAddress: "U", family: "monocle", verb: "flash", toolVersion: "1", host: "h")
        try await ledger.open(start, clock: LedgerClock()).close(.pass)
    }

    /// What is wrong, what mends it, and which error each side tells; `nil` is none.
    private static let faults: [(broken: String, mended: String, claim: Bool, upload: String?)] = [
        ("REVOKE USAGE ON SCHEMA noafw FROM noafw_station", "GRANT USAGE ON SCHEMA noafw TO noafw_station", false, "LED-0123"),
        (
            "REVOKE SELECT ON noafw.schema_version FROM noafw_station", "GRANT SELECT ON noafw.schema_version TO noafw_station", false,
            "LED-0123"
        ),
        ("REVOKE EXECUTE ON FUNCTION noafw.take FROM noafw_station", "GRANT EXECUTE ON FUNCTION noafw.take TO noafw_station", false, nil),
        (
            "REVOKE EXECUTE ON FUNCTION noafw.renew, noafw.release FROM noafw_station",
            "GRANT EXECUTE ON FUNCTION noafw.renew, noafw.release TO noafw_station", true, nil
        ),
        ("REVOKE INSERT ON noafw.runs FROM noafw_station", "GRANT INSERT ON noafw.runs TO noafw_station", true, "LED-0123"),
        ("REVOKE noafw_station FROM \"LOGIN\"", "GRANT noafw_station TO \"LOGIN\"", false, "LED-0123"),
        ("ALTER ROLE \"LOGIN\" NOLOGIN", "ALTER ROLE \"LOGIN\" LOGIN", false, "LED-0121"),
        ("ALTER ROLE \"LOGIN\" PASSWORD 'other'", "ALTER ROLE \"LOGIN\" PASSWORD 's3cret-word'", false, "LED-0121"),
        ("UPDATE noafw.schema_version SET version = 0", "UPDATE noafw.schema_version SET version = 2", false, "LED-0122"),
        ("UPDATE noafw.schema_version SET version = 1", "UPDATE noafw.schema_version SET version = 2", false, "LED-0122"),
        ("DELETE FROM noafw.schema_version", "INSERT INTO noafw.schema_version (version) VALUES (2)", false, "LED-0122"),
        ("ALTER FUNCTION noafw.take RENAME TO other", "ALTER FUNCTION noafw.other RENAME TO take", false, nil),
        ("ALTER TABLE noafw.runs RENAME COLUMN batch TO other", "ALTER TABLE noafw.runs RENAME COLUMN other TO batch", true, "LED-0123"),
        ("ALTER TABLE noafw.runs RENAME TO other", "ALTER TABLE noafw.other RENAME TO runs", true, "LED-0123"),
        (
            "ALTER ROLE \"LOGIN\" SET default_transaction_read_only = on", "ALTER ROLE \"LOGIN\" RESET default_transaction_read_only",
            false, "LED-0123"
        ),
        ("ALTER ROLE \"LOGIN\" CONNECTION LIMIT 0", "ALTER ROLE \"LOGIN\" CONNECTION LIMIT 4", false, "LED-0120"),
    ]

    /// A statement or a lock that takes too long, no room for another connection, a server that starts or ends.
    @Test(arguments: ["57014", "55P03", "53300", "57P03", "57P01", "40P01"]) func aBusyServerIsNotTheNetwork(state: String) {
        let fault = ServerFault.answered(state: state, reason: "r")
        #expect(
            fault.kind == .passing && fault.remedy?.contains("network") == false && fault.remedy?.contains("same command again") == true)
    }

    @Test func whatIsNotReachedMayBeTheNetwork() {
        let error = ClaimError.notAsked(unit: "U", reason: "r", remedy: ServerFault.lost("no answer in time").remedy)
        #expect(error.diagnosis.remedy.contains("network"))
    }

    @Test(arguments: faults.indices)
    func isToldAndParksNothing(index: Int) async throws {
        let fault = Self.faults[index]
        let ledger = SQLiteLedger(folder: folder.path("ledger"))
        try await record(in: ledger)
        try bench.sql(fault.broken.replacing("\"LOGIN\"", with: "\"\(bench.station)\""))
        do throws(ClaimError) {
            let claim = try await claim(.require)
            #expect(fault.claim && claim.state == .held, "\(fault.broken)")
            await claim.release()
        } catch {
            #expect(
                !fault.claim && error.diagnosis.remedy.contains("network") == (fault.upload == "LED-0120"),
                "\(fault.broken): \(error.diagnosis)")
        }
        if !fault.claim { #expect(try await self.claim(.prefer).state == .unclaimed, "\(fault.broken)") }
        let report = try await send(ledger)
        #expect(report.failure?.code == fault.upload && report.rejected.isEmpty, "\(fault.broken): \(report)")
        try bench.sql(fault.mended.replacing("\"LOGIN\"", with: "\"\(bench.station)\""))
        #expect(try await send(ledger).left == 0)
        #expect(try bench.sql("SELECT count(*) FROM noafw.runs") == "1")
    }

    /// It blocks the runs that it refuses, and none behind them.
    @Test func aTriggerThatRaisesParksItsRunsAlone() async throws {
        let ledger = SQLiteLedger(folder: folder.path("ledger"))
        try bench.sql("""
            CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN IF NEW.seq = 2 THEN RAISE EXCEPTION 'not number %', NEW.seq; END IF; RETURN NEW; END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON noafw.runs FOR EACH ROW EXECUTE FUNCTION public.refuse();
            """)
        for _ in 0..<4 { try await record(in: ledger) }
        let report = try await send(ledger)
        #expect(
            report.sent == 3 && report.left == 0 && report.rejected.count == 1 && report.rejected[0].reason.contains("not number 2"),
            "\(report)")
        try bench.sql("DROP TRIGGER refuse ON noafw.runs")
        try await ledger.retryRejected(station: bench.station)
        #expect(try await send(ledger).sent == 1)
    }

    /// The server's clock is set, an hour ahead or back: a lease's end is the server's, a station's belief its own monotonic clock's.
    @Test(arguments: [3600, -3600])
    func aClockThatJumpsLeavesNoUnitToTwo(seconds: Int) async throws {
        let claim = try await claim(.require)
        // As leases look after the jump.
        try bench.sql("UPDATE noafw.leases SET expires_at = expires_at - interval '\(seconds) s'")
        let other = try? await self.claim(.require)
        #expect((other != nil) == (seconds > 0), "a lease that has ended is another's")
        if other != nil {
            #expect(
                try await !PostgreSQLLeases(lane: try bench.lane()).renew(
                    unit: "U", run: ids.next(), token: claim.token ?? 0, timeToLive: .seconds(60)))
            #expect((other?.token ?? 0) > (claim.token ?? 0), "what the first one writes can be told apart")
        }
        await other?.release()
        await claim.release()
    }

    @Test func aMissingDatabaseIsTheSetUps() async throws {
        let text = bench.text.replacing(bench.database, with: "nowhere")
        let passfile = try folder.write("*:*:*:*:\(Bench.password)\n", to: "passfile")
        chmod(passfile, 0o600)
        let lane = ServerLane(
            try ServerAddress("\(text)?passfile=\(passfile)", station: bench.station, environment: ["HOME": "/nonexistent"]))
        let fault = await #expect(throws: ServerFault.self) { try await lane.ask(within: .seconds(8)) { _, _ throws(ServerFault) in } }
        #expect(
            fault?.kind == .setUp && fault?.error.diagnosis.code == "LED-0123" && fault?.reason.contains("LOCATION") == false,
            "\(fault as Any)")
    }

    // MARK: - Ways to it

    private func version(_ text: String) async throws -> String? {
        let lane = ServerLane(try ServerAddress(text, station: bench.station, environment: ["HOME": "/nonexistent"]))
        return try await lane.ask(within: .seconds(8)) { connection, deadline throws(ServerFault) in
            try connection.execute("SELECT current_user", until: deadline).rows.first?.first ?? nil
        }
    }

    @Test func aSocketsFolderAndLongListsOfHosts() async throws {
        let passfile = try folder.write("*:*:*:*:\(Bench.password)\n", to: "passfile")
        chmod(passfile, 0o600)
        let socket = bench.cluster.folder.path.replacing("/", with: "%2F")
        #expect(try await version("postgresql://\(socket):\(bench.cluster.port)/\(bench.database)?passfile=\(passfile)") == bench.station)
        // The last one answers.
        let closed = (0..<200).map { "127.0.1.\($0)" }.joined(separator: ",")
        let text = "postgresql:///\(bench.database)?host=\(closed),127.0.0.1&port=\(bench.cluster.port)&passfile=\(passfile)"
        #expect(try await version(text) == bench.station)
    }

    @Test func overIPv6() async throws {
        guard FileManager.default.fileExists(atPath: "/proc/net/if_inet6"),
            try String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8).contains("00000000000000000000000000000001")
        else { return }
        let own = try Bench(try PostgresCluster(listen: ["::1"], access: ["host all all ::1/128 scram-sha-256"]), stations: 1)
        let passfile = try folder.write("*:*:*:*:\(Bench.password)\n", to: "passfile")
        chmod(passfile, 0o600)
        let address = try ServerAddress(
            "postgresql://[::1]:\(own.cluster.port)/\(own.database)?passfile=\(passfile)", station: own.station,
            environment: ["HOME": "/nonexistent"])
        let rows = try await ServerLane(address).ask(within: .seconds(8)) { connection, deadline throws(ServerFault) in
            try connection.execute("SELECT family(inet_client_addr())", until: deadline).rows
        }
        #expect(rows == [["6"]])
    }

    /// To the server a name is data, whatever it says.
    @Test(arguments: [
        "Straße 7", "línea\u{301}", "a'; DROP TABLE noafw.runs; --", "line\"1\"", "日本-1", "😀", String(repeating: "x", count: 63)
    ])
    func aStationMayBeCalledAnything(name: String) async throws {
        try bench.cluster.sql("DROP ROLE IF EXISTS \"\(name.replacing("\"", with: "\"\""))\"")
        try bench.sql(
            "SELECT noafw.add_station('\(name.replacing("'", with: "''"))'); ALTER ROLE \"\(name.replacing("\"", with: "\"\""))\" "
                + "PASSWORD 'pw'"
        )
        let passfile = try folder.write("*:*:*:*:pw\n", to: "passfile")
        chmod(passfile, 0o600)
        let server = try StationServer("\(bench.text)?passfile=\(passfile)", station: name, environment: ["HOME": "/nonexistent"])
        let ledger = SQLiteLedger(folder: folder.path("ledger"))
        let start = RunRecord(station: name, unitAddress: "U", family: "monocle", verb: "flash", toolVersion: "1", host: "h")
        let run = try await ledger.open(start, clock: LedgerClock())
        try await run.claim(from: server.claims(.require))
        try await run.close(.pass)
        let report = await server.uploads(from: ledger).send(within: .seconds(8))
        #expect(report.sent == 1 && report.rejected.isEmpty, "\(report)")
        #expect(try bench.sql("SELECT station FROM noafw.runs") == name)
    }
}
