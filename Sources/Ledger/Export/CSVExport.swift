/// Records as CSV, a row each.
public enum CSVExport {
    public typealias Form = CSVText.Form

    public static func text(_ runs: some Sequence<RunRecord>, form: Form = .plain) -> String {
        CSVText.document(RunCells.columns.map(\.name), runs.map { run in RunCells.columns.map { $0.cell(run) } }, form: form)
    }
}
