import Foundation
import Glibc
import Ledger
import LedgerStore
import TestSupport
import Testing

/// Four stations of the built tool, one PostgreSQL, the same virtual units.
@Suite(
    .enabled(
        if: PostgresCluster.mayRun && TestTools.mayRunMicroPython && TestTools.mayRunFrameLua,
        "PostgreSQL, MicroPython or the virtual Frame's Lua is missing: run Tools/setup tests"), .serialized)
struct SharedFleetTests {
    /// Of each of two families.
    private static let count = TestRange.isFull ? 20 : 6
    private static let units = 2 * count
    private static let fleet = [
        "--virtual", "monocle", "--virtual", "frame", "--count", "\(count)", "--virtual-speed", "max", "--only", "scripts", "--canary", "0",
        "--stop-after", "0", "--claims", "require", "--json",
    ]

    private let place: SharedPlace

    init() throws { place = try SharedPlace(stations: 4) }

    /// Runs of one station, while they say "try again" and the stations together have not verified all units.
    private func work(_ station: SharedPlace.Station) async throws -> [Int32] {
        var statuses: [Int32] = []
        while statuses.count < 200 {
            let status = try await station.run(["flash"] + Self.fleet)
            statuses.append(status)
            guard status == 75, (try? verified()) != Self.units else { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        return statuses
    }

    private func workAll(_ stations: some Sequence<SharedPlace.Station>) async throws {
        try await withThrowingTaskGroup(of: (String, [Int32]).self) { group in
            for station in stations { group.addTask { (station.name, try await self.work(station)) } }
            for try await (name, statuses) in group {
                #expect(statuses.allSatisfy { [0, 75].contains($0) }, "\(name): \(statuses) \(self.place.words(of: name))")
            }
        }
    }

    /// Of the server's table: how many units passed.
    private func verified() throws -> Int? {
        Int(try place.sql("SELECT count(DISTINCT unit_address) FROM noafw.runs WHERE outcome = 'pass'"))
    }

    /// Of the server's table: how many runs wrote to each unit and passed.
    private func timesFlashed() throws -> [Int] {
        // A record has the digests of what was sent.
        let text = try place.sql(
            "SELECT count(*) FILTER (WHERE outcome = 'pass' AND digests <> '{}') FROM noafw.runs GROUP BY unit_address")
        return text.split(separator: "\n").compactMap { Int($0) }
    }

    /// What the stations have and what the server has are the same runs, each once; no unit was two stations' at a time.
    private func expectWhole() async throws {
        for station in place.stations {
            let sent = try await station.run(["ledger", "send"])
            #expect(sent == 0, "\(place.words(of: station.name))")
        }
        var kept: [String] = []
        for station in place.stations {
            kept += try await SQLiteLedger(folder: station.bench.state.path + "/ledger").runs().filter { !$0.isOpen }.map { "\($0.id)" }
        }
        #expect(try place.sql("SELECT id FROM noafw.runs ORDER BY id").split(separator: "\n").map(String.init) == kept.sorted())
        #expect(try place.sql("SELECT * FROM noafw.gaps; SELECT * FROM noafw.overlaps") == "")
        #expect(try place.sql("SELECT count(*) FROM noafw.leases WHERE expires_at > now()") == "0", "a claim is left")
        #expect(try verified() == Self.units)
        #expect(try place.sql("SELECT count(*) FROM noafw.runs WHERE claim <> 'held' AND outcome = 'pass'") == "0")
    }

    /// They end by themselves within 90 s, which only the whole range waits for.
    private func endLeases(of holder: String) async throws {
        guard TestRange.isFull else {
            return _ = try place.sql("UPDATE noafw.leases SET expires_at = now() WHERE \(holder) AND expires_at > now()")
        }
        let end = ContinuousClock.now.advanced(by: .seconds(100))
        while try place.sql("SELECT count(*) FROM noafw.leases WHERE expires_at > now() AND \(holder)") != "0", ContinuousClock.now < end {
            try await Task.sleep(for: .seconds(1))
        }
    }

    @Test func eachUnitIsFlashedOnce() async throws {
        try await workAll(place.stations)
        #expect(try timesFlashed() == Array(repeating: 1, count: Self.units))
        #expect(try place.sql("SELECT count(*) FROM noafw.runs WHERE outcome <> 'pass'") == "0", "a unit in use elsewhere leaves no record")
        try await expectWhole()
    }

    /// The server is killed twice, and a station for good while it holds claims.
    @Test func killsLoseNothing() async throws {
        let (lost, others) = (place.stations[0], place.stations.dropFirst())
        let working = Task { try await self.workAll(others) }
        let victim = try lost.bench.start(["flash"] + Self.fleet, environment: lost.environment)
        try await place.cluster.wait(
            while: "SELECT count(*) FROM noafw.leases WHERE holder = '\(lost.name)' AND expires_at > now()", is: "0", database: "noafw")
        victim.signal(SIGKILL)
        _ = victim.remainingErrors()
        _ = victim.wait()
        let held = try place.sql("SELECT unit FROM noafw.leases WHERE holder = '\(lost.name)' AND expires_at > now()").split(
            separator: "\n")
        for _ in 0..<2 {
            try await Task.sleep(for: .milliseconds(700))
            place.cluster.killOutright()
            try await Task.sleep(for: .milliseconds(300))
            try place.cluster.start()
        }
        try await endLeases(of: "holder = '\(lost.name)'")
        try await working.value
        // Those that could not be given back while the server was away.
        try await endLeases(of: "true")
        #expect(!held.isEmpty, "the kill came while the station held no claim")
        // What it had begun is closed by its own next run, which finds all units verified.
        #expect(try await lost.run(["flash"] + Self.fleet) == 0, "\(place.words(of: lost.name))")
        let flashed = try timesFlashed()
        #expect(flashed == Array(repeating: 1, count: Self.units), "what a kill interrupts does not pass")
        #expect(try place.sql("SELECT count(*) FROM noafw.runs WHERE code = 'LED-0006' AND station <> '\(lost.name)'") == "0")
        try await expectWhole()
    }
}

/// A server, and stations with a ledger and a state folder each, but with the same virtual units.
private final class SharedPlace: Sendable {
    struct Station: Sendable {
        let name: String
        let bench: ToolBench
        let environment: [String: String]

        /// To its end, without blocking a thread of Swift's pool.
        func run(_ arguments: [String]) async throws -> Int32 {
            let log = bench.state.path + "/words"
            try Data().write(to: URL(fileURLWithPath: log))
            let words = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
            return try await TestProcess(
                ToolBench.tool, arguments,
                environment: ProcessInfo.processInfo.environment.merging(bench.environment(environment)) { $1 },
                folder: ToolBench.root, output: .nothing, errors: .file(words)
            ).exitStatus()
        }
    }

    let cluster: PostgresCluster
    let stations: [Station]
    private let shared: TemporaryFolder

    init(stations count: Int) throws {
        cluster = try PostgresCluster()
        shared = try TemporaryFolder()
        let schema = try ToolBench.schema()
        try cluster.sql("CREATE DATABASE noafw")
        try cluster.sql(schema, database: "noafw")
        let passfile = try cluster.folder.write("*:*:*:*:word\n", to: "passfile")
        chmod(passfile, 0o600)
        for folder in ["virtual", "virtual-bonds"] {
            try FileManager.default.createDirectory(atPath: shared.path(folder), withIntermediateDirectories: true)
        }
        var made: [Station] = []
        for name in (1...count).map({ "line-\($0)" }) {
            try cluster.sql("SELECT noafw.add_station('\(name)'); ALTER ROLE \"\(name)\" PASSWORD 'word'", database: "noafw")
            let bench = try ToolBench()
            for folder in ["virtual", "virtual-bonds"] {
                try FileManager.default.createSymbolicLink(
                    atPath: bench.state.path + "/" + folder, withDestinationPath: shared.path(folder))
            }
            let server = "postgresql://127.0.0.1:\(cluster.port)/noafw"
            made.append(
                Station(name: name, bench: bench, environment: ["NOAFW_LEDGER": server, "NOAFW_STATION": name, "PGPASSFILE": passfile]))
        }
        stations = made
    }

    deinit { stations.forEach { $0.bench.remove() } }

    @discardableResult
    func sql(_ text: String) throws -> String { try cluster.sql(text, database: "noafw") }

    /// The last ones of a station.
    func words(of name: String) -> String {
        guard let station = stations.first(where: { $0.name == name }) else { return "" }
        return String((try? String(contentsOfFile: station.bench.state.path + "/words", encoding: .utf8))?.suffix(3000) ?? "")
    }
}
