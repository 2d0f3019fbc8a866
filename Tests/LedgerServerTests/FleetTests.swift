import Foundation
import Ledger
import LedgerStore
import Support
import TestSupport
import Testing

@testable import LedgerServer

/// Four stations, one server, the same forty units.
@Suite(.enabled(if: PostgresCluster.mayRun, "PostgreSQL is not installed: run Tools/setup tests"))
struct FleetTests {
    private static let timeToLive = 3.0

    private func start(
        _ bench: Bench, _ air: StationAir, policy: String = "require", timeToLive: Double = timeToLive
    ) throws -> [StationProcess] {
        try bench.stations.map { try start($0, bench, air, policy: policy, timeToLive: timeToLive) }
    }

    private func start(
        _ name: String, _ bench: Bench, _ air: StationAir, policy: String = "require", timeToLive: Double = timeToLive
    ) throws -> StationProcess {
        try StationProcess(name, server: bench.text, policy: policy, timeToLive: timeToLive, air: air, environment: bench.environment())
    }

    private func finish(_ stations: [StationProcess]) async throws {
        for station in stations {
            #expect(try await station.says("done", within: .seconds(90)), "\(station.name): \(station.said.suffix(5))")
        }
    }

    /// No unit was flashed twice, nor by two at a time; whoever began last ended.
    private func expectFlashedOnce(_ air: StationAir, killed: String? = nil) throws {
        let stories = try air.stories()
        #expect(stories.count == air.count)
        for story in stories {
            #expect(story.filter { $0.hasPrefix("end") }.count == 1, "\(story)")
            let begins = story.filter { $0.hasPrefix("begin") && $0 != "begin \(killed ?? "-")" }
            #expect(
                begins.count <= 1
                    && story.suffix(2).map { $0.split(separator: " ").last }
                        == Array(repeating: story.last?.split(separator: " ").last, count: 2),
                "\(story)")
        }
    }

    /// Each closed run of each station is on the server, once, and its numbers have no gap.
    private func expectAllSent(_ bench: Bench, _ stations: [StationProcess]) async throws {
        for station in stations {
            let closed = try await station.runs().filter { !$0.isOpen }
            let ids = try bench.sql("SELECT id FROM noafw.runs WHERE station = '\(station.name)' ORDER BY seq").split(separator: "\n").map(
                String.init)
            #expect(ids == closed.sorted { ($0.seq ?? 0) < ($1.seq ?? 0) }.map { "\($0.id)" }, "\(station.name)")
            #expect(Set(closed.compactMap(\.seq)) == Set(1...Int64(closed.count)))
        }
        #expect(try bench.sql("SELECT count(*) FROM noafw.gaps WHERE station IN ('\(bench.stations.joined(separator: "','"))')") == "0")
        #expect(try bench.sql("SELECT count(*) FROM noafw.overlaps") == "0")
        #expect(
            try bench.sql(
                "SELECT count(*) FROM (SELECT FROM noafw.runs WHERE claim = 'held' GROUP BY unit_address, claim_token HAVING count(*) "
                    + "> 1) AS twice"
            ) == "0")
    }

    @Test func eachUnitIsFlashedOnce() async throws {
        let (bench, air) = (try Bench(stations: 4), try StationAir(count: 40))
        let stations = try start(bench, air)
        try await finish(stations)
        try expectFlashedOnce(air)
        try await expectAllSent(bench, stations)
        for station in stations {
            #expect(try await station.runs().allSatisfy { $0.claim == .held && ($0.claimToken ?? 0) > 0 && $0.outcome == .pass })
        }
    }

    @Test func aServerThatIsKilledInTheMiddleLosesNothing() async throws {
        let (bench, air) = (try Bench(try PostgresCluster(), stations: 4), try StationAir(count: 40))
        let stations = try start(bench, air)
        for station in stations { #expect(try await station.says("closed", times: 2)) }
        bench.cluster.killAtOnce()
        try await Task.sleep(for: .seconds(1))
        try bench.cluster.start()
        try await finish(stations)
        try expectFlashedOnce(air)
        try await expectAllSent(bench, stations)
    }

    @Test func aStationThatIsKilledLeavesItsUnitToOthers() async throws {
        let (bench, air) = (try Bench(stations: 4), try StationAir(count: 40))
        let stations = try start(bench, air)
        // In the middle of a run: what is claimed is not closed.
        #expect(try await stations[0].says("claimed", times: 3))
        stations[0].kill()
        try await finish(Array(stations[1...]))
        try expectFlashedOnce(air, killed: stations[0].name)
        // It comes again, closes what it left open, and sends what it had not sent.
        let again = try start(stations[0].name, bench, air)
        #expect(try await again.says("done"))
        try await StationProcess.closeAbandoned(again, bench)
        try await expectAllSent(bench, stations)
    }

    /// One station behind a cable of its own, which is cut for longer than a lease lasts.
    @Test(
        .enabled(
            if: NetworkCut.isPermitted && TestTools.mayRunOpenSSL, "network namespaces need root and iproute2, the certificate openssl"))
    func aStationThatIsCutOffLosesNothing() async throws {
        let (cable, air, folder) = (try NetworkCut(), try StationAir(count: 40), try TemporaryFolder())
        let authority = try TestAuthority(for: ["DNS:ledger.test"], in: folder)
        let cluster = try PostgresCluster(
            listen: ["127.0.0.1", cable.address], access: ["hostssl all all \(cable.network) scram-sha-256"],
            tls: (authority.certificate, authority.key))
        let bench = try Bench(cluster, stations: 4)
        let far = "postgresql://ledger.test:\(cluster.port)/\(bench.database)?hostaddr=\(cable.address)&sslrootcert=\(authority.authority)"
        let alone = try StationProcess(
            bench.stations[0], server: far, policy: "require", timeToLive: Self.timeToLive, air: air, environment: bench.environment(),
            namespace: cable.name)
        #expect(try await alone.says("closed"))
        let others = try bench.stations[1...].map { try start($0, bench, air) }
        #expect(try await alone.says("closed", times: 3))
        try cable.cut()
        try await Task.sleep(for: .seconds(Self.timeToLive + 1))
        try cable.mend()
        try await finish(others + [alone])
        try expectFlashedOnce(air)
        try await expectAllSent(bench, others + [alone])
    }

    /// Without a server and without a wish for one, units are worked on, and the records say how.
    @Test func withoutAServerRunsAreUnclaimedAndSentLater() async throws {
        let (bench, air) = (try Bench(try PostgresCluster(), stations: 1), try StationAir(count: 5))
        bench.cluster.killAtOnce()
        let station = try start(bench.station, bench, air, policy: "prefer")
        #expect(try await station.says("closed", times: 5))
        try bench.cluster.start()
        try await finish([station])
        try await expectAllSent(bench, [station])
        #expect(try bench.sql("SELECT DISTINCT claim, claim_token FROM noafw.runs") == "unclaimed|")
    }
}

extension StationProcess {
    /// The next run of a station closes what a kill left open: here without another unit.
    static func closeAbandoned(_ station: StationProcess, _ bench: Bench) async throws {
        let ledger = SQLiteLedger(folder: station.folder)
        let start = RunRecord(
            station: station.name, unitAddress: "AA", family: "monocle", verb: "verify", toolVersion: "test", host: "here")
        try await ledger.open(start, clock: LedgerClock()).close(.pass)
        let index = bench.stations.firstIndex(of: station.name) ?? 0
        let report = await ServerUploads(PostgreSQLRuns(lane: try bench.lane(index)), outbox: ledger, station: station.name).send(
            within: .seconds(20))
        guard report.left == 0, report.rejected.isEmpty else { throw PostgresCluster.Failure(description: "\(report)") }
    }
}
