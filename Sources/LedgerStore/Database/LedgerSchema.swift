import GRDB
import Ledger

/// The past forms of the ledger's file. Never edit a shipped migration; the tests' fixtures hold a file of each.
enum LedgerSchema {
    static let migrator = migrator(of: RunColumn.all)

    static func migrator(of columns: [RunColumn]) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("ledger-1") { try makeTables($0, columns.filter { $0.form == 1 }) }
        for form in 2...columns.reduce(3, { max($0, $1.form) }) {
            migrator.registerMigration("ledger-\(form)") { db in
                for column in columns where column.form == form {
                    try db.execute(sql: "ALTER TABLE runs ADD COLUMN \(column.name) \(column.sqlite)")
                }
                // Looked up before each run with a serial number.
                if form == 3 { try db.execute(sql: "CREATE INDEX runs_by_serial ON runs (serial, number) WHERE serial IS NOT NULL") }
            }
        }
        return migrator
    }

    /// Adds the process that has the run open.
    private static func declarations(_ columns: [RunColumn]) -> String {
        columns.map { column in
            let name = ["schema", "plan"].contains(column.name) ? "\"\(column.name)\"" : column.name
            return "    \(name) \(column.sqlite),\n" + (column.name == "revision" ? "    owner INTEGER NOT NULL,\n" : "")
        }.joined()
    }

    private static func makeTables(_ db: Database, _ columns: [RunColumn]) throws {
        try db.execute(
            sql: """
                CREATE TABLE ledger (
                    "only" INTEGER PRIMARY KEY CHECK ("only" = 1),
                    epoch TEXT NOT NULL CHECK (length(epoch) = 16)
                ) STRICT;
                INSERT INTO ledger VALUES (1, lower(hex(randomblob(8))));

                CREATE TABLE stations (
                    name TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
                    last_seq INTEGER NOT NULL DEFAULT 0 CHECK (last_seq >= 0)
                ) STRICT;

                CREATE TABLE runs (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                \(declarations(columns))    CHECK ((outcome IS NULL) = (ended_at IS NULL)),
                    CHECK ((outcome IS NULL) = (seq IS NULL)),
                    CHECK ((seq IS NULL) = (epoch IS NULL)),
                    CHECK (outcome IS NULL OR (outcome = 'pass') = (blame IS NULL)),
                    UNIQUE (station, epoch, seq)
                ) STRICT;
                CREATE INDEX open_runs ON runs (station, owner) WHERE outcome IS NULL;
                CREATE INDEX runs_of_unit ON runs (unit_address, station, verb);
                CREATE INDEX runs_by_time ON runs (started_at);

                CREATE TABLE outbox (
                    run TEXT NOT NULL PRIMARY KEY REFERENCES runs (id),
                    sent_at INTEGER,
                    rejected TEXT CHECK (rejected <> '')
                ) STRICT;
                CREATE INDEX unsent ON outbox (run) WHERE sent_at IS NULL AND rejected IS NULL;
                """)
    }
}
