import Ledger

/// How many runs go at once.
enum UploadBatch {
    static let runLimit = 200
    static let byteLimit = 1 << 20

    /// The first of them that fit together; one that is too large for itself goes alone.
    static func prefix(of runs: [RunRecord]) -> [RunRecord] {
        var bytes = 0
        let count = runs.prefix(runLimit).prefix { run in
            bytes += PostgreSQLRuns.json([run])?.utf8.count ?? 0
            return bytes <= byteLimit
        }.count
        return Array(runs.prefix(max(1, count)))
    }
}
