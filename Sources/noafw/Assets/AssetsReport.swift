import Provisioning
import Support

/// The catalogue as text.
struct AssetsReport {
    struct Row: Sendable {
        var item: CatalogueItem
        var isChecked = false
        var problem: Diagnosis?

        fileprivate var verdict: String? { isChecked ? (problem == nil ? "good" : "bad") : nil }
    }

    var root: String
    var rows: [Row]

    func lines(style: TextStyle) -> [String] {
        let isChecked = rows.contains(where: \.isChecked)
        var table = TextTable([
            .init("part"), .init("version"), .init("hardware", keeping: .start), .init("kind", leftOut: 1),
            .init(isChecked ? "result" : "used"),
            .init("file", keeping: .start),
        ])
        for row in rows {
            let (item, files) = (row.item, row.item.listed)
            let more = files.count > 1 ? " and \(files.count - 1) more" : ""
            table.append([
                item.component.name, item.version, UntrustedText.escape(item.hardware), item.isDevelopment ? "development" : "release",
                row.verdict ?? (item.isChosen ? "yes" : "-"), UntrustedText.escape(files.first?.file ?? "-") + more,
            ])
        }
        let problems = rows.compactMap(\.problem).flatMap { ErrorText.lines($0, style: style) }
        let body = table.lines(style: style) { rows[$0].problem == nil ? nil : .bad }
        return [UntrustedText.escape(root)] + body + problems
    }

    /// No entries are no success.
    var verdict: Diagnosis? {
        if rows.isEmpty { return CommandError.noEntries(root: root).diagnosis }
        let count = rows.count { $0.problem != nil }
        return count > 0 ? CommandError.badEntries(count: count).diagnosis : nil
    }
}

/// The catalogue's entries, or why it could not be read.
struct AssetsDocument: Encodable, Sendable {
    let schema = "noafw.assets/1"
    var root: String?
    var entries: [AssetsReport.Row] = []
    var error: Diagnosis?
}

extension AssetsReport.Row: Encodable {
    private enum CodingKeys: CodingKey { case part, version, hardware, development, used, folder, files, verdict, error }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(item.component, forKey: .part)
        try members.encode(item.version, forKey: .version)
        try members.encode(item.hardware, forKey: .hardware)
        try members.encode(item.isDevelopment, forKey: .development)
        try members.encode(item.isChosen, forKey: .used)
        try members.encode(item.folder, forKey: .folder)
        try members.encode(item.listed, forKey: .files)
        try members.encode(verdict, forKey: .verdict)
        try members.encode(problem, forKey: .error)
    }
}
