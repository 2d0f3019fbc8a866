import GRDB

/// The forms that the ledger's file has had. A shipped migration is never edited; each has a file in the tests' fixtures.
enum LedgerSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("ledger-1", migrate: runs)
        migrator.registerMigration("ledger-2", migrate: claims)
        migrator.registerMigration("ledger-3", migrate: serials)
        return migrator
    }

    private static func claims(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE runs ADD COLUMN claim TEXT CHECK (claim IN ('held', 'lost', 'unclaimed'));
                ALTER TABLE runs ADD COLUMN claim_token INTEGER CHECK (claim_token > 0);
                """)
    }

    /// Which unit a serial number belongs to is asked before each run that names one.
    private static func serials(_ db: Database) throws {
        try db.execute(sql: "CREATE INDEX runs_by_serial ON runs (serial, number) WHERE serial IS NOT NULL")
    }

    private static func runs(_ db: Database) throws {
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
                    id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
                    "schema" INTEGER NOT NULL,
                    revision INTEGER NOT NULL,
                    owner INTEGER NOT NULL,
                    station TEXT NOT NULL REFERENCES stations (name),
                    seq INTEGER CHECK (seq > 0),
                    epoch TEXT,
                    fixture TEXT CHECK (fixture <> ''),
                    adapter TEXT CHECK (adapter <> ''),
                    operator TEXT CHECK (operator <> ''),
                    work_order TEXT CHECK (work_order <> ''),
                    part TEXT CHECK (part <> ''),
                    batch TEXT CHECK (batch <> ''),
                    unit_address TEXT NOT NULL CHECK (unit_address <> ''),
                    serial TEXT CHECK (serial <> ''),
                    family TEXT NOT NULL CHECK (family <> ''),
                    verb TEXT NOT NULL CHECK (verb <> ''),
                    attempt_of TEXT CHECK (attempt_of <> id),
                    started_at INTEGER NOT NULL,
                    ended_at INTEGER,
                    elapsed_ms INTEGER CHECK (elapsed_ms >= 0),
                    outcome TEXT CHECK (outcome IN ('pass', 'fail', 'error', 'timeout', 'aborted')),
                    blame TEXT CHECK (blame IN ('unit', 'station', 'radio', 'input', 'operator')),
                    code TEXT CHECK (code <> ''),
                    retries INTEGER NOT NULL CHECK (retries >= 0),
                    versions_before TEXT NOT NULL CHECK (json_valid(versions_before)),
                    versions_after TEXT NOT NULL CHECK (json_valid(versions_after)),
                    bundle_digest TEXT,
                    bundle_signer TEXT,
                    digests TEXT NOT NULL CHECK (json_valid(digests)),
                    tool_version TEXT NOT NULL,
                    host TEXT NOT NULL,
                    "plan" TEXT CHECK ("plan" IS NULL OR json_valid("plan")),
                    steps TEXT NOT NULL CHECK (json_valid(steps)),
                    rssi INTEGER,
                    battery INTEGER,
                    CHECK ((outcome IS NULL) = (ended_at IS NULL)),
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
