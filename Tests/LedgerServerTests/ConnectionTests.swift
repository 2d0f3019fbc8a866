import Foundation
import Glibc
import Ledger
import Support
import TestSupport
import Testing

@testable import LedgerServer

/// libpq on a thread of its own, against a real server.
@Suite(.enabled(if: PostgresCluster.mayRun, "PostgreSQL is not installed: run Tools/setup tests"))
struct ConnectionTests {
    let bench: Bench

    init() throws { bench = try Bench() }

    private func ask(
        _ lane: ServerLane, _ sql: String, _ parameters: [String?] = [], within limit: Duration = .seconds(8)
    ) async throws(ServerFault) -> PQRows {
        try await lane.ask(within: limit) { connection, deadline throws(ServerFault) in
            try connection.execute(sql, parameters, until: deadline)
        }
    }

    @Test func parametersAndAnswersAreText() async throws {
        let rows = try await ask(
            try bench.lane(), "SELECT $1::int + 1, $2, $3::text IS NULL, repeat('x', 500000)", ["41", "a'b\n\u{e9}", nil])
        #expect(rows.rows[0].prefix(3) == ["42", "a'b\n\u{e9}", "t"] && rows.rows[0][3]?.utf8.count == 500_000)
    }

    @Test func errorsHaveTheirState() async throws {
        let lane = try bench.lane()
        await #expect(throws: ServerFault.answered(state: "22012", reason: "division by zero")) { try await ask(lane, "SELECT 1 / 0") }
        await #expect(throws: ServerFault.answered(state: "42501", reason: "permission denied for table runs")) {
            try await ask(lane, "SELECT * FROM noafw.runs")
        }
        #expect(try await ask(lane, "SELECT 1").rows == [["1"]])
    }

    /// Many at once share one connection, and none is left standing.
    @Test func requestsShareAConnection() async throws {
        let lane = try bench.lane()
        let backends = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { try await ask(lane, "SELECT pg_backend_pid()").rows[0][0] } }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(backends.count < 10, "\(backends)")
        let standing = "SELECT count(*) > 0 FROM pg_stat_activity WHERE usename = '\(bench.station)'"
        try await bench.cluster.wait(while: standing, is: "t")
    }

    @Test func aBackendThatEndedIsMadeAnew() async throws {
        let lane = try bench.lane()
        let slow = Task { try await ask(lane, "SELECT pg_sleep(0.4), pg_backend_pid()") }
        // Waits for the same connection, which is ended before its turn comes.
        try await Task.sleep(for: .milliseconds(100))
        let next = Task { try await ask(lane, "SELECT 1") }
        try bench.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(bench.station)'")
        await #expect(throws: ServerFault.self) { _ = try await slow.value }
        #expect(try await next.value.rows == [["1"]])
    }

    /// libpq's own limit holds for neither.
    @Test func aBlackHoleEndsAtTheDeadline() async throws {
        let hole = try FakePostgres { _ = $0.read(1 << 20) }
        let lane = try bench.lane(port: hole.port)
        let took = await ContinuousClock().measure {
            await #expect(throws: ServerFault.lost("no answer in time")) { try await ask(lane, "SELECT 1", within: .seconds(1)) }
        }
        #expect(took < .seconds(3), "\(took)")
    }

    @Test func aServerThatHangsEndsAtTheDeadline() async throws {
        let own = try Bench(try PostgresCluster(), stations: 1)
        let lane = try own.lane()
        let asked = Task { try await ask(lane, "SELECT pg_sleep(3)", within: .seconds(2)) }
        try await Task.sleep(for: .milliseconds(400))
        own.cluster.signalAll(SIGSTOP)
        let took = await ContinuousClock().measure {
            await #expect(throws: ServerFault.lost("no answer in time")) { _ = try await asked.value }
            await #expect(throws: ServerFault.lost("no answer in time")) { try await ask(lane, "SELECT 1", within: .seconds(1)) }
        }
        own.cluster.signalAll(SIGCONT)
        #expect(took < .seconds(5), "\(took)")
        #expect(try await ask(lane, "SELECT 1").rows == [["1"]])
    }

    @Test func aServerThatIsAwayIsToldAtOnce() async throws {
        let lane = try bench.lane(port: try PostgresCluster.freePort())
        let fault = await #expect(throws: ServerFault.self) { try await ask(lane, "SELECT 1") }
        #expect(fault?.kind == .passing && fault?.reason.contains("refused") == true, "\(fault as Any)")
    }

    @Test func aWrongPasswordIsALoginsFault() async throws {
        let passfile = try bench.cluster.folder.write("*:*:*:*:wrong\n", to: "wrong")
        chmod(passfile, 0o600)
        let address = try ServerAddress("\(bench.text)?passfile=\(passfile)", station: bench.station, environment: ["HOME": "/nonexistent"])
        let fault = await #expect(throws: ServerFault.self) { try await ask(ServerLane(address), "SELECT 1") }
        #expect(fault?.error.diagnosis.code == "LED-0121" && fault?.reason.contains("wrong") == false, "\(fault as Any)")
    }

    @Test func otherTablesAreNotUsed() async throws {
        try bench.sql("UPDATE noafw.schema_version SET version = 9")
        await #expect(throws: ServerFault.schema(found: 9)) { try await ask(try bench.lane(), "SELECT 1") }
        try bench.sql("DROP SCHEMA noafw CASCADE")
        await #expect(throws: ServerFault.schema(found: nil)) { try await ask(try bench.lane(), "SELECT 1") }
        let diagnosis = ServerFault.schema(found: nil).error.diagnosis
        #expect(diagnosis.category == .badData && diagnosis.message.contains("none"))
    }
}
