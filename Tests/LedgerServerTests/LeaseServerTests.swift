import Ledger
import Support
import TestSupport
import Testing

@testable import LedgerServer

/// The lease's functions, as stations call them.
@Suite(.enabled(if: PostgresCluster.mayRun, "PostgreSQL is not installed: run Tools/setup tests"))
struct LeaseServerTests {
    let bench: Bench
    private let ids = RunIDGenerator()

    init() throws { bench = try Bench() }

    private func leases(_ index: Int = 0) throws -> PostgreSQLLeases { PostgreSQLLeases(lane: try bench.lane(index)) }

    @Test func oneStationOfMany() async throws {
        // A login has four connections, and one that was closed counts a moment longer.
        let lanes = try (0..<4).map { try leases($0 % 2) }
        for round in 0..<(TestRange.isFull ? 40 : 10) {
            let grants = try await withThrowingTaskGroup(of: LeaseGrant.self) { group in
                for lane in lanes { group.addTask { [run = ids.next()] in try await lane.take(unit: "U\(round)", run: run, timeToLive: .seconds(60)) } }
                return try await group.reduce(into: [LeaseGrant]()) { $0.append($1) }
            }
            #expect(grants.filter { $0 == .granted(token: 1) }.count == 1, "\(grants)")
            #expect(grants.allSatisfy { if case .taken(let station, let until) = $0 { bench.stations.contains(station) && until > .now } else { true } })
        }
    }

    /// A retry of a lost answer keeps the token; a new holder, and a lease that ran out, do not.
    @Test func theTokenTellsHoldersApart() async throws {
        let (first, second) = (try leases(0), try leases(1))
        let (run, other) = (ids.next(), ids.next())
        #expect(try await first.take(unit: "A", run: run, timeToLive: .seconds(60)) == .granted(token: 1))
        #expect(try await first.take(unit: "A", run: run, timeToLive: .seconds(60)) == .granted(token: 1))
        #expect(try await first.renew(unit: "A", run: run, token: 1, timeToLive: .seconds(60)))
        // The same station's other run has it no more than another station's.
        guard case .taken = try await first.take(unit: "A", run: other, timeToLive: .seconds(60)) else { return _ = Issue.record("two runs") }
        try bench.sql("UPDATE noafw.leases SET expires_at = clock_timestamp() - interval '1 s'")
        #expect(try await second.take(unit: "A", run: other, timeToLive: .seconds(60)) == .granted(token: 2))
        #expect(try await !first.renew(unit: "A", run: run, token: 1, timeToLive: .seconds(60)), "a holder that woke late")
        try await first.release(unit: "A", run: run, token: 1)
        guard case .taken = try await first.take(unit: "A", run: run, timeToLive: .seconds(60)) else { return _ = Issue.record("two stations") }
        try await second.release(unit: "A", run: other, token: 2)
        #expect(try await !second.renew(unit: "A", run: other, token: 2, timeToLive: .seconds(60)), "given free")
        #expect(try await first.take(unit: "A", run: run, timeToLive: .seconds(60)) == .granted(token: 3))
        #expect(try bench.sql("SELECT count(*), max(holder) FROM noafw.leases") == "1|\(bench.station)")
    }

    @Test func aLeaseThatRanOutIsRenewedWhereNobodyTookIt() async throws {
        let (leases, run) = (try leases(), ids.next())
        _ = try await leases.take(unit: "A", run: run, timeToLive: .seconds(60))
        try bench.sql("UPDATE noafw.leases SET expires_at = clock_timestamp() - interval '1 s'")
        #expect(try await leases.renew(unit: "A", run: run, token: 1, timeToLive: .seconds(60)))
        // Taken anew after it ran out, it is another one.
        try bench.sql("UPDATE noafw.leases SET expires_at = clock_timestamp() - interval '1 s'")
        #expect(try await leases.take(unit: "A", run: run, timeToLive: .seconds(60)) == .granted(token: 2))
    }

    @Test func timesAreTheServersAndBounded() async throws {
        let leases = try leases()
        _ = try await leases.take(unit: "A", run: ids.next(), timeToLive: .seconds(90))
        #expect(try bench.sql("SELECT expires_at - clock_timestamp() BETWEEN interval '80 s' AND interval '90 s' FROM noafw.leases") == "t")
        for seconds in [0.5, 601] {
            await #expect(throws: ServerFault.self) { try await leases.take(unit: "B", run: ids.next(), timeToLive: .seconds(seconds)) }
        }
        // Within one transaction the clock goes on.
        let moved = try bench.asStation(
            """
            BEGIN; SELECT pg_sleep(0.2); SELECT granted FROM noafw.take('C', '0198f3c2-0000-7000-8000-000000000001', 60);
            SELECT (SELECT expires_at FROM noafw.take('C', '0198f3c2-0000-7000-8000-000000000001', 60)) > now() + interval '60.15 s'; COMMIT;
            """)
        #expect(moved.output.split(separator: "\n") == ["t", "t"], "\(moved.output)")
    }

    /// A row that another transaction holds.
    @Test func aLockThatStaysIsGivenUp() async throws {
        let leases = try leases()
        let run = ids.next()
        _ = try await leases.take(unit: "A", run: run, timeToLive: .seconds(60))
        let blocker = Task.detached { [bench] in try? bench.sql("BEGIN; SELECT 1 FROM noafw.leases FOR UPDATE; SELECT pg_sleep(30)") }
        let sleeping = "FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(30)' AND datname = '\(bench.database)'"
        try bench.cluster.wait(while: "SELECT count(*) \(sleeping)", is: "0")
        let fault = await #expect(throws: ServerFault.self) { try await leases.renew(unit: "A", run: run, token: 1, timeToLive: .seconds(60)) }
        #expect(fault?.kind == .passing && fault?.reason.contains("lock timeout") == true, "\(fault as Any)")
        try bench.sql("SELECT pg_terminate_backend(pid) \(sleeping)")
        _ = await blocker.value
    }
}
