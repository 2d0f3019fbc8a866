/// Records as CSV, a row each.
enum CSVExport {
    static func write(_ source: some RunSource, _ filter: RunFilter, _ form: CSVText.Form, to write: (String) throws -> Void) throws -> Int {
        var count = 0
        try write(CSVText.head(RunCells.columns.map(\.name), form: form))
        try source.forEach(filter, of: nil) { run in
            count += 1
            try write(CSVText.row(RunCells.columns.map { $0.cell(run) }, form))
        }
        return count
    }
}
