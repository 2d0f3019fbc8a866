import Foundation
import Ledger
import LedgerStore
import Support
import Synchronization
import TestSupport

@testable import LedgerServer

/// A database of its own, with the schema and some stations' logins, on one cluster for all tests, or on one of the test's own.
struct Bench: Sendable {
    static let password = "s3cret-word"
    private static let shared = Result { try PostgresCluster() }
    private static let count = Atomic<Int>(0)

    let cluster: PostgresCluster
    let database: String
    let stations: [String]

    init(_ own: PostgresCluster? = nil, stations: Int = 2) throws {
        cluster = try own ?? Self.shared.get()
        let number = Self.count.add(1, ordering: .relaxed).newValue
        database = "ledger_\(number)"
        self.stations = (0..<stations).map { "line-\(number)-\($0)" }
        try cluster.sql("CREATE DATABASE \(database)")
        try cluster.sql("BEGIN;\n\(ServerSchema.sql)\nCOMMIT;", database: database)
        for station in self.stations { try addStation(station) }
    }

    func addStation(_ name: String) throws {
        try sql("SELECT noafw.add_station('\(name)'); ALTER ROLE \"\(name)\" PASSWORD '\(Self.password)'")
    }

    var station: String { stations[0] }

    @discardableResult
    func sql(_ text: String) throws -> String { try cluster.sql(text, database: database) }

    /// As a station, with a foreign client.
    func asStation(_ text: String, _ index: Int = 0) throws -> (status: Int32, output: String) {
        try cluster.psql(text, database: database, login: (stations[index], Self.password))
    }

    var text: String { "postgresql://127.0.0.1:\(cluster.port)/\(database)" }

    func environment(_ more: [String: String] = [:]) -> [String: String] {
        ["HOME": cluster.folder.path("home"), "PGPASSWORD": Self.password].merging(more) { $1 }
    }

    func address(_ index: Int = 0) throws -> ServerAddress {
        try ServerAddress(text, station: stations[index], environment: environment())
    }

    /// libpq reads the password from the environment by itself; a test's process has many stations.
    func lane(_ index: Int = 0, port: Int? = nil) throws -> ServerLane {
        let passfile = try cluster.folder.write("*:*:*:*:\(Self.password)\n", to: "passfile")
        chmod(passfile, 0o600)
        let text = "postgresql://127.0.0.1:\(port ?? cluster.port)/\(database)?passfile=\(passfile)"
        return ServerLane(try ServerAddress(text, station: stations[index], environment: ["HOME": "/nonexistent"]))
    }
}

/// Closed runs of one station.
enum Runs {
    static func closed(_ count: Int, station: String, _ change: (Int, inout RunRecord) -> Void = { _, _ in }) -> [RunRecord] {
        let ids = RunIDGenerator()
        return (0..<count).map { number in
            var start = RunRecord(
                station: station, unitAddress: "C0:00:00:00:00:01", family: "monocle", verb: "flash", toolVersion: "1", host: "h")
            start.plan = #"{"steps":["firmware"]}"#
            var record = start.begun(as: ids.next(), at: .now)
            record.steps = [RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 9000, bytes: 225_000)]
            (record.versionsAfter, record.claim, record.claimToken) = (["firmware": "v23"], .held, 7)
            record.close(.pass, at: .now, elapsed: .seconds(1))
            (record.seq, record.epoch) = (Int64(number + 1), "0011223344556677")
            change(number, &record)
            return record.bounded
        }
    }
}
