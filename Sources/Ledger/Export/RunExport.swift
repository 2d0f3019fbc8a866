/// Writes records for other programs piece by piece: memory holds only one.
public enum RunExport: Sendable, Hashable {
    case csv(CSVText.Form)
    /// One document.
    case json
    /// One object a line.
    case jsonLines
    case junit

    /// - Returns: how many records there were.
    /// - Throws: what `source` and `write` throw.
    @discardableResult
    public func write(_ source: some RunSource, _ filter: RunFilter = RunFilter(), to write: (String) throws -> Void) throws -> Int {
        switch self {
        case .csv(let form): try csv(source, filter, form, to: write)
        case .json: try JSONExport.write(source, filter, to: write)
        case .jsonLines: try JSONExport.writeLines(source, filter, to: write)
        case .junit: try JUnitExport.write(source, filter, to: write)
        }
    }

    private func csv(_ source: some RunSource, _ filter: RunFilter, _ form: CSVText.Form, to write: (String) throws -> Void) throws -> Int {
        var count = 0
        try write(CSVText.head(RunColumn.cells.map(\.name), form: form))
        try source.forEach(filter, of: nil) { run in
            count += 1
            try write(CSVText.row(RunColumn.cells.map { $0.cell(run) }, form))
        }
        return count
    }

    /// For a few records.
    public func text(_ runs: [RunRecord]) throws -> String {
        var text = ""
        try write(ListedRuns(runs)) { text += $0 }
        return text
    }
}
