import Foundation
import Glibc
import Ledger
import LedgerStore
import TestSupport
import Testing

/// The built tool, with a server that stations share.
@Suite(
    .enabled(if: PostgresCluster.mayRun && TestTools.mayRunMicroPython, "PostgreSQL or MicroPython is missing: run Tools/setup tests"),
    .serialized)
struct WholeServerTests {
    /// As an administrator sets it up, with the tool's own words.
    private struct Place {
        let cluster: PostgresCluster
        let passfile: String

        init() throws {
            cluster = try PostgresCluster()
            try cluster.sql("CREATE DATABASE noafw")
            try cluster.sql(try ToolBench.schema(), database: "noafw")
            for station in ["line-1", "line-2"] {
                try cluster.sql("SELECT noafw.add_station('\(station)'); ALTER ROLE \"\(station)\" PASSWORD 'word'", database: "noafw")
            }
            passfile = try cluster.folder.write("*:*:*:*:word\n", to: "passfile")
            chmod(passfile, 0o600)
        }
    }

    private static let place = Result { try Place() }
    private let cluster: PostgresCluster
    private let environment: [String: String]

    init() throws {
        let place = try Self.place.get()
        cluster = place.cluster
        environment = ["NOAFW_LEDGER": "postgresql://127.0.0.1:\(place.cluster.port)/noafw", "PGPASSFILE": place.passfile]
    }

    private func flash(_ station: String, only part: String = "scripts", speed: String = "max") -> [String] {
        ["flash", "--virtual", "monocle", "--only", part, "--virtual-speed", speed, "--station", station, "--claims", "require"]
    }

    private func sql(_ text: String) throws -> String { try cluster.sql(text, database: "noafw") }

    /// A unit and its copy: to the stations, the same one.
    @Test func aUnitIsWorkedOnByOneStation() async throws {
        let (first, second) = (try ToolBench(), try ToolBench())
        defer { [first, second].forEach { $0.remove() } }
        #expect(try first.run(flash("line-1") + ["--dry-run"], environment: environment).status == 0)
        try FileManager.default.copyItem(atPath: first.state.path + "/virtual", toPath: second.state.path + "/virtual")
        let running = try first.start(flash("line-1", only: "firmware", speed: "1"), environment: environment)
        try await cluster.wait(while: "SELECT count(*) FROM noafw.leases WHERE expires_at > now()", is: "0", database: "noafw")
        let refused = try second.run(flash("line-2") + ["--json"], environment: environment)
        #expect(refused.status == 75 && refused.errors.contains("LED-0100") && refused.errors.contains("line-1"), "\(refused.errors)")
        let unit = try #require((try ToolBench.json(refused.output)["units"] as? [[String: Any]])?.first)
        #expect(
            unit["verdict"] is NSNull && refused.errors.contains("NOT STARTED  no unit was touched"), "\(refused.output) \(refused.errors)")
        running.signal(SIGINT)
        let errors = running.remainingErrors()
        #expect(running.wait() == 130, "\(errors)")
        let later = try second.run(flash("line-2"), environment: environment)
        #expect(later.status == 0, "\(later.errors)")
        #expect(
            try sql("SELECT station, seq, outcome, claim, claim_token FROM noafw.runs ORDER BY id")
                == "line-1|1|aborted|held|1\nline-2|1|pass|held|2")
        #expect(
            try await SQLiteLedger(folder: second.state.path + "/ledger").runs().count == 1, "a unit of another station leaves no record")
        #expect(try sql("SELECT count(*) FROM noafw.leases WHERE expires_at > '-infinity'") == "0")
    }

    /// A label that was read twice: neither the second station nor the first one takes it for another unit.
    @Test func aSerialNumberIsOneUnitsAtAllStations() async throws {
        let (first, second) = (try ToolBench(), try ToolBench())
        defer { [first, second].forEach { $0.remove() } }
        #expect(try first.run(flash("line-1") + ["--serial", "TWICE"], environment: environment).status == 0)
        let unit = try sql("SELECT unit FROM noafw.serials WHERE serial = 'TWICE'")
        let another = flash("line-2").map { $0 == "monocle" ? "monocle:another" : $0 } + ["--serial", "TWICE"]
        let refused = try second.run(another, environment: environment)
        #expect(
            refused.status == 65 && refused.errors.contains("LED-0103") && refused.errors.contains(unit)
                && refused.errors.contains("line-1"), "\(refused.errors)")
        #expect(try await SQLiteLedger(folder: second.state.path + "/ledger").runs().isEmpty, "its unit is not touched")
        #expect(try sql("SELECT count(*) FROM noafw.leases WHERE holder = 'line-2' AND expires_at > now()") == "0")
        let other = try first.run(flash("line-1") + ["--serial", "OTHER"], environment: environment)
        #expect(other.status == 65 && other.errors.contains("LED-0007"), "\(other.errors)")
        #expect(try second.run(another + ["--rebind-serial"], environment: environment).status == 0)
        #expect(try sql("SELECT station FROM noafw.serials WHERE serial = 'TWICE' AND unit <> '\(unit)'") == "line-2")
    }

    /// What a kill leaves is the station's own.
    @Test func aKilledStationNeedNotWaitForItself() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let tool = try bench.start(flash("line-1", speed: "4"), environment: environment)
        #expect(tool.waitForLine { $0.hasPrefix("scripts") && $0.contains("%") })
        tool.signal(SIGKILL)
        _ = tool.wait()
        #expect(try sql("SELECT count(*) FROM noafw.leases WHERE holder = 'line-1' AND expires_at > now()") == "1")
        let again = try bench.run(flash("line-1"), environment: environment)
        #expect(again.status == 0 && again.errors.contains("LED-0020"), "\(again.errors)")
    }

    /// The first unit's run is there while the second unit is worked on.
    @Test func aLineSendsEachRunWhenItEnds() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let units = ["--virtual", "monocle:a", "--virtual", "monocle:b"]
        let line = try bench.start(
            ["flash", "--watch", "--only", "scripts", "--virtual-speed", "4", "--station", "line-1", "--order", "shift"] + units,
            environment: environment)
        let count = "SELECT count(*) FROM noafw.runs WHERE work_order = 'shift'"
        try await cluster.wait(while: count, is: "0", database: "noafw")
        #expect(try sql(count) == "1")
        let errors = line.remainingErrors()
        #expect(line.wait() == 0, "\(errors)")
        #expect(try sql(count) == "2" && !errors.contains("LED-0140"), "\(errors)")
    }

    @Test func whatWaitsIsSentByHand() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let away = environment.merging(["NOAFW_LEDGER": "postgresql://127.0.0.1:\(try PostgresCluster.freePort())/noafw"]) { $1 }
        let refused = try bench.run(flash("line-1"), environment: away)
        #expect(refused.status == 75 && refused.errors.contains("LED-012"), "\(refused.errors)")
        let unclaimed = try bench.run(flash("line-1").dropLast() + ["prefer"], environment: away)
        #expect(
            unclaimed.status == 0 && unclaimed.errors.contains("runs that wait") && unclaimed.errors.contains("without a claim"),
            "\(unclaimed.errors)")
        #expect(try bench.run(["ledger", "send", "--station", "line-1"], environment: away).status == 75)
        let sent = try bench.run(["ledger", "send", "--station", "line-1", "--json"], environment: environment)
        let document = try ToolBench.json(sent.output)
        #expect(sent.status == 0 && document["sent"] as? Int == 1 && document["waiting"] as? Int == 0, "\(sent)")
        #expect((document["other_stations"] as? [String: Int])?.isEmpty == true)
    }

    /// A run that the server refuses, or that another name was given to, is told until it is there.
    @Test func whatTheServerRefusesStaysInSight() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        _ = try sql("ALTER TABLE noafw.runs ADD CONSTRAINT odd CHECK (work_order <> 'odd')")
        let flashed = try bench.run(flash("line-1") + ["--order", "odd"], environment: environment)
        #expect(flashed.errors.contains("LED-0141"), "\(flashed.errors)")
        for _ in 0..<2 {
            let sent = try bench.run(["ledger", "send", "--station", "line-1"], environment: environment)
            #expect(sent.status == 65 && sent.output.contains("waiting: 0, refused: 1\n  refused: "), "\(sent)")
        }
        let check = try bench.run(["ledger", "check"])
        #expect(
            check.status == 65
                && check.output.contains("the server refuses 1 run of station line-1: noafw ledger send --station line-1 shows why"),
            "\(check)")
        let other = try bench.run(["ledger", "send", "--station", "line-2"], environment: environment)
        #expect(
            other.status == 0 && other.output.contains("station line-1: 1 run not sent; next: noafw ledger send --station line-1"),
            "\(other)")
        _ = try sql("ALTER TABLE noafw.runs DROP CONSTRAINT odd")
        let again = try bench.run(["ledger", "send", "--station", "line-1", "--rejected"], environment: environment)
        #expect(again.status == 0 && again.output.contains("runs sent: 1, waiting: 0, refused: 0"), "\(again)")
        #expect(try bench.run(["ledger", "check"]).status == 0)
    }

    /// Neither where it is wrong nor where it is right, and whatever libpq's own variables say.
    @Test func aPasswordIsInNoOutput() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let events = bench.state.path + "/events.jsonl"
        var statuses: [Int32] = []
        for (password, more) in [
            ("s3cret-wrong", [:]), ("word", ["PGOPTIONS": "-c default_transaction_read_only=on", "PGSSLMODE": "prefer"])
        ] {
            let server = ["PGPASSWORD": password, "PGPASSFILE": "/nonexistent"].merging(more) { $1 }
            let run = try bench.run(
                flash("line-1") + ["--json", "--verbose", "--events", events], environment: environment.merging(server) { $1 })
            statuses.append(run.status)
            let said = [run.output, run.errors, try String(contentsOfFile: events, encoding: .utf8)]
            #expect(said.allSatisfy { !$0.contains("s3cret-wrong") && !$0.contains("\"word\"") }, "\(said)")
        }
        #expect(statuses == [77, 0])
        #expect(try sql("SELECT count(*) FROM noafw.runs WHERE station = 'line-1' AND outcome = 'pass'") != "0", "PGOPTIONS is not taken")
        let long = try bench.run(flash(String(repeating: "x", count: 200)), environment: environment)
        #expect(long.status == 64 && long.errors.contains("LED-0117"), "\(long.errors)")
        let odd = try bench.run(flash("línea \u{1F600}") + ["--operator", "Ångström 李"], environment: environment)
        #expect(odd.status == 77 && odd.errors.contains("LED-0121"), "it has no login: \(odd.errors)")
    }

    @Test func whatIsWrongIsSaidBeforeAUnitIsTouched() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        func code(_ more: [String: String], _ station: String = "line-1") throws -> (Int32, String) {
            let result = try bench.run(flash(station), environment: environment.merging(more) { $1 })
            return (result.status, result.errors)
        }
        for (status, text, more) in [
            (64, "LED-0111", ["NOAFW_LEDGER": "postgresql://line-1:word@127.0.0.1/noafw"]),
            (64, "LED-0112", ["NOAFW_LEDGER": "postgresql://db.example.com/noafw?sslmode=require"]),
            (66, "LED-0116", ["NOAFW_LEDGER": "postgresql://db.example.com/noafw", "HOME": "/nonexistent"]),
            (64, "LED-0110", ["NOAFW_LEDGER": "sqlite://x"]),
            (77, "LED-0121", ["PGPASSWORD": "other"]),
        ] as [(Int32, String, [String: String])] {
            let (actual, errors) = try code(more)
            #expect(actual == status && errors.contains(text) && !errors.contains("word@"), "\(errors)")
        }
        let password = try cluster.folder.write("*:*:*:*:word\n", to: "open")
        chmod(password, 0o644)
        let (open, words) = try code(["PGPASSFILE": password])
        #expect(open == 77 && words.contains("0644"), "\(words)")
        #expect(!FileManager.default.fileExists(atPath: bench.state.path + "/ledger/ledger.sqlite"))
        try cluster.sql("UPDATE noafw.schema_version SET version = 9", database: "noafw")
        defer { _ = try? cluster.sql("UPDATE noafw.schema_version SET version = 2", database: "noafw") }
        let (form, why) = try code([:])
        #expect(form == 65 && why.contains("LED-0122"), "\(why)")
    }
}
