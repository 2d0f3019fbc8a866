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
                for lane in lanes {
                    group.addTask { [run = ids.next()] in
                        try await lane.take(ClaimRequest(unit: "U\(round)", run: run), over: nil, timeToLive: .seconds(60))
                    }
                }
                return try await group.reduce(into: [LeaseGrant]()) { $0.append($1) }
            }
            #expect(grants.filter { $0 == .granted(token: 1) }.count == 1, "\(grants)")
            #expect(
                grants.allSatisfy {
                    if case .taken(let station, let until, _) = $0 { bench.stations.contains(station) && until > .now } else { true }
                })
        }
    }

    /// A retry of a lost answer keeps the token; a new holder, and a lease that ran out, do not.
    @Test func theTokenTellsHoldersApart() async throws {
        let (first, second) = (try leases(0), try leases(1))
        let (run, other) = (ids.next(), ids.next())
        #expect(try await first.take(ClaimRequest(unit: "A", run: run), over: nil, timeToLive: .seconds(60)) == .granted(token: 1))
        #expect(try await first.take(ClaimRequest(unit: "A", run: run), over: nil, timeToLive: .seconds(60)) == .granted(token: 1))
        #expect(try await first.renew(unit: "A", run: run, token: 1, timeToLive: .seconds(60)))
        // The same station's other run has it no more than another station's.
        guard case .taken = try await first.take(ClaimRequest(unit: "A", run: other), over: nil, timeToLive: .seconds(60)) else {
            return _ = Issue.record("two runs")
        }
        try bench.sql("UPDATE noafw.leases SET expires_at = clock_timestamp() - interval '1 s'")
        #expect(try await second.take(ClaimRequest(unit: "A", run: other), over: nil, timeToLive: .seconds(60)) == .granted(token: 2))
        #expect(try await !first.renew(unit: "A", run: run, token: 1, timeToLive: .seconds(60)), "a holder that woke late")
        await first.release(unit: "A", run: run, token: 1)
        guard case .taken = try await first.take(ClaimRequest(unit: "A", run: run), over: nil, timeToLive: .seconds(60)) else {
            return _ = Issue.record("two stations")
        }
        await second.release(unit: "A", run: other, token: 2)
        #expect(try await !second.renew(unit: "A", run: other, token: 2, timeToLive: .seconds(60)), "given free")
        #expect(try await first.take(ClaimRequest(unit: "A", run: run), over: nil, timeToLive: .seconds(60)) == .granted(token: 3))
        #expect(try bench.sql("SELECT count(*), max(holder) FROM noafw.leases") == "1|\(bench.station)")
    }

    /// By its own station, which names the run; no other station can.
    @Test func theLeaseOfADeadRunIsTakenOver() async throws {
        let (first, second) = (try leases(0), try leases(1))
        let (dead, next) = (ids.next(), ids.next())
        func take(_ leases: PostgreSQLLeases, over run: RunID?) async throws -> LeaseGrant {
            try await leases.take(ClaimRequest(unit: "A", run: next), over: run, timeToLive: .seconds(60))
        }
        #expect(try await first.take(ClaimRequest(unit: "A", run: dead), over: nil, timeToLive: .seconds(60)) == .granted(token: 1))
        guard case .taken(bench.station, _, dead) = try await take(first, over: nil) else { return _ = Issue.record("two runs") }
        guard case .taken(bench.station, _, dead) = try await take(second, over: dead) else { return _ = Issue.record("two stations") }
        guard case .taken = try await take(first, over: ids.next()) else { return _ = Issue.record("another run") }
        #expect(try await take(first, over: dead) == .granted(token: 2))
        #expect(try await !first.renew(unit: "A", run: dead, token: 1, timeToLive: .seconds(60)), "a dead run that wakes")
    }

    @Test func aSerialNumberIsOneUnits() async throws {
        let (first, second) = (try leases(0), try leases(1))
        func bind(_ serial: String, _ unit: String, _ leases: PostgreSQLLeases, anew: Bool = false) async throws -> [String] {
            let bound = try await leases.bind(serial, ClaimRequest(unit: unit, run: ids.next(), serial: serial, rebindsSerial: anew))
            return bound.map { [$0.binding.serial, $0.binding.unitAddress, $0.station] } ?? []
        }
        for leases in [first, second] { #expect(try await bind("SN1", "A", leases) == []) }
        #expect(try await bind("SN1", "B", second) == ["SN1", "A", bench.station], "one number, two units")
        #expect(try await bind("SN9", "A", second) == ["SN1", "A", bench.station], "one unit, two numbers")
        #expect(try await bind("SN9", "B", second) == [])
        #expect(try await bind("SN1", "B", second, anew: true) == [])
        #expect(try await bind("SN1", "B", first) == [])
        #expect(try await bind("SN9", "A", first) == [], "both are free again")
        #expect(
            try bench.sql("SELECT serial, unit, station FROM noafw.serials ORDER BY serial")
                == "SN1|B|\(bench.stations[1])\nSN9|A|\(bench.station)")
        #expect(try bench.asStation("SELECT * FROM noafw.serials").output.contains("permission denied"))
    }

    /// Two stations at the same moment.
    @Test func oneStationBindsIt() async throws {
        let leases = try (0..<2).map { try self.leases($0) }
        for round in 0..<20 {
            let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
                for (index, leases) in leases.enumerated() {
                    group.addTask { [run = ids.next()] in
                        try await leases.bind("S\(round)", ClaimRequest(unit: "U\(round)-\(index)", run: run)) != nil
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(refused == 1, "round \(round)")
        }
    }

    @Test func aLeaseThatRanOutIsRenewedWhereNobodyTookIt() async throws {
        let (leases, run) = (try leases(), ids.next())
        _ = try await leases.take(ClaimRequest(unit: "A", run: run), over: nil, timeToLive: .seconds(60))
        try bench.sql("UPDATE noafw.leases SET expires_at = clock_timestamp() - interval '1 s'")
        #expect(try await leases.renew(unit: "A", run: run, token: 1, timeToLive: .seconds(60)))
        // Taken anew after it ran out, it is another one.
        try bench.sql("UPDATE noafw.leases SET expires_at = clock_timestamp() - interval '1 s'")
        #expect(try await leases.take(ClaimRequest(unit: "A", run: run), over: nil, timeToLive: .seconds(60)) == .granted(token: 2))
    }

    @Test func timesAreTheServersAndBounded() async throws {
        let leases = try leases()
        _ = try await leases.take(ClaimRequest(unit: "A", run: ids.next()), over: nil, timeToLive: .seconds(90))
        #expect(try bench.sql("SELECT expires_at - clock_timestamp() BETWEEN interval '80 s' AND interval '90 s' FROM noafw.leases") == "t")
        for seconds in [0.5, 601] {
            await #expect(throws: ServerFault.self) {
                try await leases.take(ClaimRequest(unit: "B", run: ids.next()), over: nil, timeToLive: .seconds(seconds))
            }
        }
        // Within one transaction the clock goes on.
        let moved = try bench.asStation(
            """
            BEGIN; SELECT pg_sleep(0.2); SELECT granted FROM noafw.take('C', '0198f3c2-0000-7000-8000-000000000001', 60);
            SELECT (SELECT expires_at FROM noafw.take('C', '0198f3c2-0000-7000-8000-000000000001', 60))
                > now() + interval '60.15 s'; COMMIT;
            """)
        #expect(moved.output.split(separator: "\n") == ["t", "t"], "\(moved.output)")
    }

    /// A row that another transaction holds.
    @Test func aLockThatStaysIsGivenUp() async throws {
        let leases = try leases()
        let run = ids.next()
        _ = try await leases.take(ClaimRequest(unit: "A", run: run), over: nil, timeToLive: .seconds(60))
        let blocker = Task.detached { [bench] in try? bench.sql("BEGIN; SELECT 1 FROM noafw.leases FOR UPDATE; SELECT pg_sleep(30)") }
        let sleeping = "FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(30)' AND datname = '\(bench.database)'"
        try await bench.cluster.wait(while: "SELECT count(*) \(sleeping)", is: "0")
        let fault = await #expect(throws: ServerFault.self) {
            try await leases.renew(unit: "A", run: run, token: 1, timeToLive: .seconds(60))
        }
        #expect(fault?.kind == .passing && fault?.reason.contains("lock timeout") == true, "\(fault as Any)")
        try bench.sql("SELECT pg_terminate_backend(pid) \(sleeping)")
        _ = await blocker.value
    }
}
