/// A column of the ledger. Defines the tables of SQLite and PostgreSQL, a record's JSON and the cells of CSV.
public struct RunColumn: Sendable {
    public struct Name: CodingKey {
        public let stringValue: String
        public var intValue: Int? { nil }

        public init(stringValue: String) { self.stringValue = stringValue }
        public init?(intValue: Int) { nil }
    }

    typealias Cell = CSVText.Cell
    private typealias Path<Value> = any WritableKeyPath<RunRecord, Value> & Sendable

    public var name: String
    public let sqlite: String
    public let postgres: String
    /// The form of SQLite's file that introduced it.
    public var form: Int
    let bound: @Sendable (inout RunRecord) -> Void
    let encode: @Sendable (RunRecord, inout KeyedEncodingContainer<Name>) throws -> Void
    let decode: @Sendable (inout RunRecord, KeyedDecodingContainer<Name>) throws -> Void
    let isInCSV: Bool
    let cell: @Sendable (RunRecord) -> Cell

    private static let outcomes = "CHECK (outcome IN ('pass', 'fail', 'error', 'timeout', 'aborted'))"
    private static let blames = "CHECK (blame IN ('unit', 'station', 'radio', 'input', 'operator'))"
    private static let claims = "CHECK (claim IN ('held', 'lost', 'unclaimed'))"

    /// In the order of both tables. Never edit a shipped form: append a new column with a new form.
    public static let all: [RunColumn] = [
        value("id", \.id, "TEXT NOT NULL UNIQUE CHECK (length(id) = 36)", "uuid PRIMARY KEY"),
        value("schema", \.schema, "INTEGER NOT NULL", "integer NOT NULL", isInCSV: false),
        value("revision", \.revision, "INTEGER NOT NULL", "integer NOT NULL", isInCSV: false),
        text("station", \.station, "TEXT NOT NULL REFERENCES stations (name)"),
        optional("seq", \.seq, "INTEGER CHECK (seq > 0)", "bigint NOT NULL CHECK (seq > 0)"),
        text("epoch", \.epoch, "TEXT", "text NOT NULL"),
        text("fixture", \.fixture), text("adapter", \.adapter), text("operator", \.operatorName),
        text("work_order", \.workOrder), text("part", \.part), text("batch", \.batch),
        text("unit_address", \.unitAddress), text("serial", \.serial), text("family", \.family), text("verb", \.verb),
        optional("attempt_of", \.attemptOf, "TEXT CHECK (attempt_of <> id)", "uuid"),
        value("started_at", \.startedAt, "INTEGER NOT NULL", "timestamptz NOT NULL", cell: { .value($0.iso8601) }),
        optional("ended_at", \.endedAt, "INTEGER", "timestamptz NOT NULL", cell: { .value($0.iso8601) }),
        optional("elapsed_ms", \.elapsedMilliseconds, "INTEGER CHECK (elapsed_ms >= 0)", "bigint CHECK (elapsed_ms >= 0)"),
        optional(
            "outcome", \.outcome, "TEXT \(outcomes)", "text NOT NULL \(outcomes)", absent: .value("running"),
            cell: { .value($0.rawValue) }),
        optional("blame", \.blame, "TEXT \(blames)", "text \(blames)", cell: { .value($0.rawValue) }),
        text("code", \.code),
        value("retries", \.retries, "INTEGER NOT NULL CHECK (retries >= 0)", "integer NOT NULL CHECK (retries >= 0)"),
        texts("versions_before", \.versionsBefore), texts("versions_after", \.versionsAfter),
        text("bundle_digest", \.bundleDigest, "TEXT"), text("bundle_signer", \.bundleSigner, "TEXT"),
        texts("digests", \.digests),
        text("tool_version", \.toolVersion, "TEXT NOT NULL"), text("host", \.host, "TEXT NOT NULL"),
        plan,
        // The last steps show how a run ended.
        value(
            "steps", \.steps, json("steps"), "jsonb NOT NULL", bound: { $0.suffix(stepLimit).map(\.bounded) },
            cell: { .value("\($0.count)") }),
        optional("rssi", \.rssi, "INTEGER", "integer"),
        optional("battery", \.battery, "INTEGER", "integer"),
        optional("claim", \.claim, "TEXT \(claims)", "text \(claims)", form: 2, cell: { .value($0.rawValue) }),
        optional("claim_token", \.claimToken, "INTEGER CHECK (claim_token > 0)", "bigint", form: 2),
    ]

    static let componentLimit = 32
    static let stepLimit = 256

    /// CSV's columns: the record's, and a computed one.
    static let cells: [(name: String, cell: @Sendable (RunRecord) -> Cell)] = {
        var cells = all.filter(\.isInCSV).map { (name: $0.name, cell: $0.cell) }
        let place = cells.firstIndex { $0.name == "rssi" } ?? cells.endIndex
        cells.insert((name: "bytes", cell: { .value("\($0.steps.reduce(0) { $0 &+ ($1.bytes ?? 0) })") }), at: place)
        return cells
    }()

    private static func json(_ name: String) -> String { "TEXT NOT NULL CHECK (json_valid(\(name)))" }

    private static func value<Value: Codable & Sendable>(
        _ name: String, _ path: Path<Value>, _ sqlite: String, _ postgres: String, isInCSV: Bool = true,
        bound: @escaping @Sendable (Value) -> Value = { $0 }, cell: @escaping @Sendable (Value) -> Cell = { .value("\($0)") }
    ) -> RunColumn {
        let key = Name(stringValue: name)
        return RunColumn(
            name: name, sqlite: sqlite, postgres: postgres, form: 1, bound: { $0[keyPath: path] = bound($0[keyPath: path]) },
            encode: { try $1.encode($0[keyPath: path], forKey: key) },
            decode: { $0[keyPath: path] = try $1.decode(Value.self, forKey: key) }, isInCSV: isInCSV, cell: { cell($0[keyPath: path]) })
    }

    private static func optional<Value: Codable & Sendable>(
        _ name: String, _ path: Path<Value?>, _ sqlite: String, _ postgres: String, form: Int = 1,
        absent: Cell = .empty, bound: @escaping @Sendable (Value?) -> Value? = { $0 },
        cell: @escaping @Sendable (Value) -> Cell = { .value("\($0)") }
    ) -> RunColumn {
        let key = Name(stringValue: name)
        return RunColumn(
            name: name, sqlite: sqlite, postgres: postgres, form: form, bound: { $0[keyPath: path] = bound($0[keyPath: path]) },
            encode: { try $1.encodeIfPresent($0[keyPath: path], forKey: key) },
            decode: { $0[keyPath: path] = try $1.decodeIfPresent(Value.self, forKey: key) }, isInCSV: true,
            cell: { $0[keyPath: path].map(cell) ?? absent })
    }

    private static func text(_ name: String, _ path: Path<String>, _ sqlite: String? = nil) -> RunColumn {
        value(
            name, path, sqlite ?? "TEXT NOT NULL CHECK (\(name) <> '')", "text NOT NULL", bound: { RecordText.required($0) },
            cell: { .text($0) })
    }

    private static func text(
        _ name: String, _ path: Path<String?>, _ sqlite: String? = nil, _ postgres: String = "text"
    ) -> RunColumn {
        optional(name, path, sqlite ?? "TEXT CHECK (\(name) <> '')", postgres, bound: { RecordText.optional($0) }, cell: { .text($0) })
    }

    private static func texts(_ name: String, _ path: Path<[String: String]>) -> RunColumn {
        value(name, path, json(name), "jsonb NOT NULL", bound: bounded, cell: { texts in
            texts.isEmpty ? .empty : .text(texts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))
        })
    }

    private static func bounded(_ texts: [String: String]) -> [String: String] {
        let kept = texts.sorted { $0.key < $1.key }.prefix(componentLimit)
        return Dictionary(kept.map { (RecordText.required($0.key), RecordText.line($0.value)) }) { first, _ in first }
    }

    private static let plan = RunColumn(
        name: "plan", sqlite: "TEXT CHECK (\"plan\" IS NULL OR json_valid(\"plan\"))", postgres: "jsonb", form: 1,
        bound: { $0.plan = RecordText.json($0.plan) },
        encode: { try $1.encodeIfPresent($0.plan.map(JSONDocument.init), forKey: Name(stringValue: "plan")) },
        decode: { $0.plan = try $1.decodeIfPresent(JSONDocument.self, forKey: Name(stringValue: "plan"))?.text }, isInCSV: false,
        cell: { _ in .empty })
}
