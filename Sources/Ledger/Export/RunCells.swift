/// A record as a row of cells, for tables.
enum RunCells {
    typealias Cell = CSVText.Cell

    static let columns: [(name: String, cell: @Sendable (RunRecord) -> Cell)] = [
        ("id", { .value("\($0.id)") }), ("station", { .text($0.station) }), ("seq", { Cell(value: $0.seq) }), ("epoch", { Cell($0.epoch) }),
        ("fixture", { Cell($0.fixture) }), ("adapter", { Cell($0.adapter) }), ("operator", { Cell($0.operatorName) }),
        ("work_order", { Cell($0.workOrder) }), ("part", { Cell($0.part) }), ("batch", { Cell($0.batch) }),
        ("unit_address", { .text($0.unitAddress) }), ("serial", { Cell($0.serial) }), ("family", { .text($0.family) }), ("verb", { .text($0.verb) }),
        ("attempt_of", { Cell(value: $0.attemptOf) }), ("started_at", { .value($0.startedAt.iso8601) }),
        ("ended_at", { Cell(value: $0.endedAt?.iso8601) }), ("elapsed_ms", { Cell(value: $0.elapsedMilliseconds) }),
        ("outcome", { .value($0.outcome?.rawValue ?? "running") }), ("blame", { Cell(value: $0.blame?.rawValue) }), ("code", { Cell($0.code) }),
        ("retries", { .value("\($0.retries)") }), ("versions_before", { list($0.versionsBefore) }), ("versions_after", { list($0.versionsAfter) }),
        ("bundle_digest", { Cell($0.bundleDigest) }), ("bundle_signer", { Cell($0.bundleSigner) }), ("digests", { list($0.digests) }),
        ("tool_version", { .text($0.toolVersion) }), ("host", { .text($0.host) }), ("steps", { .value("\($0.steps.count)") }),
        ("bytes", { .value("\($0.steps.reduce(0) { $0 &+ ($1.bytes ?? 0) })") }), ("rssi", { Cell(value: $0.rssi) }),
        ("battery", { Cell(value: $0.battery) }), ("claim", { Cell(value: $0.claim?.rawValue) }), ("claim_token", { Cell(value: $0.claimToken) }),
    ]

    private static func list(_ texts: [String: String]) -> Cell {
        texts.isEmpty ? .empty : .text(texts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))
    }
}
