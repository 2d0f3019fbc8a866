import Foundation
import Glibc
import TestSupport
import Testing

/// docs/fleet.md: each of its blocks, in their order, as who its first line names, against a real server.
@Suite(
    .enabled(
        if: PostgresCluster.mayRun && TestTools.mayRunMicroPython && TestTools.mayRunOpenSSL,
        "PostgreSQL, MicroPython or openssl is missing: run Tools/setup tests"))
struct FleetDocumentTests {
    private struct Block {
        var language: String
        var role: String
        var text: String
    }

    private let cluster: PostgresCluster
    private let folder: TemporaryFolder
    /// Of the server's and of the station's operator.
    private static let password = "word-of-mouth"

    init() throws {
        (cluster, folder) = (try PostgresCluster(), try TemporaryFolder())
        try folder.write("#!/bin/sh\nexec '\(ToolBench.tool.path)' \"$@\"\n", to: "bin/noafw")
        // As Debian's: the files are its user's, and the server reads them again.
        let reload = """
            #!/bin/sh
            test "$1 $2 $3" = "15 main reload" || exit 1
            chown --reference='\(cluster.data)/PG_VERSION' '\(cluster.data)'/*
            kill -HUP "$(head -n 1 '\(cluster.data)/postmaster.pid')"

            """
        try folder.write(reload, to: "bin/pg_ctlcluster")
        // Without a terminal psql reads a new password, twice, from its input.
        try folder.write("\(Self.password)\n\(Self.password)\n", to: "input")
        let psql = """
            #!/bin/sh
            case "$*" in *password*) exec setsid -w '\(cluster.programs)/psql' "$@" <'\(folder.path("input"))' ;; esac
            exec '\(cluster.programs)/psql' "$@"

            """
        try folder.write(psql, to: "bin/psql")
        for name in ["noafw", "pg_ctlcluster", "psql"] { chmod(folder.path("bin/\(name)"), 0o755) }
        try folder.write("", to: "etc/cron.d/none")
        try folder.write("", to: "home/none")
    }

    private static func blocks() throws -> [Block] {
        let document = try String(contentsOf: TestTools.root.appendingPathComponent("docs/fleet.md"), encoding: .utf8)
        let parts = document.components(separatedBy: "```")
        try #require(parts.count % 2 == 1, "a block has no end")
        return try stride(from: 1, to: parts.count, by: 2).map { index in
            let lines = parts[index].split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let first = try #require(lines.dropFirst().first)
            let role = try #require(first.wholeMatch(of: /(?:#|--) as (.+)/), "nobody runs this block: \(first)").1
            return Block(language: lines[0], role: String(role), text: lines.dropFirst(2).joined(separator: "\n"))
        }
    }

    /// What stands for this machine's own things.
    private func here(_ text: String) -> String {
        [
            ("/var/lib/postgresql/15/main", cluster.data), ("/etc/postgresql/15/main", cluster.data), ("/etc/", folder.path("etc/")),
            ("192.0.2.0/24", "127.0.0.1/32"), ("ledger.example.com/noafw?", "ledger.example.com:\(cluster.port)/noafw?hostaddr=127.0.0.1&"),
            (":5432:", ":\(cluster.port):"), ("PASSWORD'", "\(Self.password)'"), ("2025_11", "2020_01"), ("4711", "1"),
            ("noafw flash --watch", "noafw flash --watch --virtual monocle --virtual-speed max --only scripts"),
        ].reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    private func shell(_ text: String, _ environment: [String: String]) throws -> (status: Int32, output: String) {
        let script = try folder.write("set -e\n\(here(text))", to: "block.sh")
        let more = [
            "PATH": "\(folder.path("bin")):\(cluster.programs):/usr/bin:/bin", "HOME": folder.path("home"), "LC_ALL": "C",
            "NOAFW_ASSETS": ToolBench.root.path
        ]
        return try runProgram("/bin/sh", [script], environment: environment.merging(more) { $1 }, folder: folder.path)
    }

    private var administrator: [String: String] { ["PGHOST": cluster.folder.path, "PGPORT": "\(cluster.port)", "PGUSER": "postgres"] }

    private func run(_ block: Block) throws -> (status: Int32, output: String) {
        switch (block.language, block.role) {
        case ("sh", "postgres, on the server"), ("sh", "root, on the server"): return try shell(block.text, administrator)
        case ("sh", "root, on the station"), ("sh", "the operator of line-1"): return try shell(block.text, [:])
        case ("sql", "ada, a reader"): return try cluster.psql(here(block.text), database: "noafw", login: ("ada", Self.password))
        case ("sql", "postgres"): return try cluster.psql(here(block.text), database: "noafw")
        default: throw PostgresCluster.Failure(description: "who is \(block.role), and what is \(block.language)?")
        }
    }

    @discardableResult
    private func sql(_ text: String) throws -> String { try cluster.sql(text, database: "noafw") }

    /// What the blocks need beside each other.
    private func prepare(_ block: Block) throws {
        if block.text.contains("authority.crt /etc") {
            try FileManager.default.copyItem(atPath: "\(cluster.data)/authority.crt", toPath: folder.path("authority.crt"))
        }
        if block.text.contains("detach_month") {
            try sql(
                "CREATE TABLE noafw.runs_2020_01 PARTITION OF noafw.runs FOR VALUES FROM (noafw.first_id('2020-01-01Z')) TO "
                    + "(noafw.first_id('2020-02-01Z'))"
            )
        }
        if block.text.contains("late ON COMMIT DROP") {
            // A month that nobody made: its rows are in the way.
            try sql("""
                CREATE TABLE kept AS SELECT * FROM noafw.runs;
                DO $$ BEGIN EXECUTE 'DROP TABLE noafw.runs_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM'); END $$;
                INSERT INTO noafw.runs SELECT * FROM kept;
                """)
            #expect(try cluster.psql("SELECT noafw.make_months()", database: "noafw").status != 0)
        }
    }

    @Test func eachBlockRuns() throws {
        let blocks = try Self.blocks()
        #expect(blocks.count == 9 && Set(blocks.map(\.role)).count == 6, "\(blocks.map(\.role))")
        for block in blocks {
            try prepare(block)
            let (status, output) = try run(block)
            try #require(status == 0, "\(block.role): \(block.text)\n\(output)")
        }
        #expect(try sql("SELECT count(*) FROM pg_hba_file_rules WHERE error IS NOT NULL") == "0")
        #expect(
            try sql("SELECT array_to_string(user_name, ' ') FROM pg_hba_file_rules WHERE type = 'hostssl'")
                == "+noafw_station +noafw_reader")
        #expect(try sql("SELECT station, outcome, claim FROM noafw.runs") == "line-1|pass|held", "over TLS, by the password that was set")
        #expect(try sql("SELECT count(*) FROM noafw.runs_other") == "0", "the month was made")
        #expect(try sql("SELECT to_regclass('noafw.runs_2020_01') IS NULL") == "t")
        // Sent again by hand, it is there once.
        let again = try shell(
            "noafw ledger send --ledger 'postgresql://ledger.example.com/noafw?sslrootcert=/etc/noafw/ca.crt' --station line-1", [:])
        #expect(
            again.status == 0 && again.output.contains("runs sent: 1, waiting: 0") && again.output.contains("refused: 0"), "\(again.output)"
        )
        #expect(try sql("SELECT count(*) FROM noafw.runs") == "1")
        // What cron runs as postgres.
        let job = try String(contentsOfFile: folder.path("etc/cron.d/noafw"), encoding: .utf8)
        let command = try #require(job.wholeMatch(of: /@monthly postgres (.+)\n/)).1
        let made = try shell(String(command), administrator)
        #expect(made.status == 0, "\(made.output)")
    }
}
