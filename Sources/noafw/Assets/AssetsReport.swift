import Bluetooth
import Provisioning
import Support

/// The catalogue as text and as JSON.
struct AssetsReport {
    static let schema = "noafw.assets/1"

    struct Row {
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
            .init("part"), .init("version"), .init("hardware", keeping: .start), .init("kind", leftOut: 1), .init(isChecked ? "result" : "used"),
            .init("file", keeping: .start),
        ])
        for row in rows {
            let item = row.item
            let state = row.verdict ?? (item.isChosen ? "yes" : "-")
            let more = item.files.count > 1 ? " and \(item.files.count - 1) more" : ""
            table.append([
                item.component.name, item.version, UntrustedText.escape(item.hardware), item.isDevelopment ? "development" : "release",
                state, UntrustedText.escape(item.files.first ?? "-") + more,
            ])
        }
        let problems = rows.compactMap(\.problem).flatMap { ErrorText.lines($0, style: style) }
        let body = table.lines(style: style) { rows[$0].problem == nil ? nil : .bad }
        return [UntrustedText.escape(root)] + body + problems
    }

    /// As the run's own end. No entries are no verdict.
    var verdict: Diagnosis? {
        if rows.isEmpty { return CommandError.noEntries(root: root).diagnosis }
        let count = rows.count { $0.problem != nil }
        return count > 0 ? CommandError.badEntries(count: count).diagnosis : nil
    }

    func document(error: Diagnosis? = nil) -> JSONText {
        .object([
            ("schema", .string(Self.schema)), ("root", .string(root)),
            ("entries", .array(rows.map(Self.document))), ("error", error.map(ReportText.document) ?? .null),
        ])
    }

    private static func document(_ row: Row) -> JSONText {
        let item = row.item
        let files = zip(item.files, item.digests).map { JSONText.object([("file", .string($0)), ("sha256", .string($1))]) }
        return .object([
            ("part", .string(item.component.name)), ("version", .string(item.version)), ("hardware", .string(item.hardware)),
            ("development", .bool(item.isDevelopment)), ("used", .bool(item.isChosen)), ("folder", .string(item.folder)),
            ("files", .array(files)), ("verdict", .optional(row.verdict)),
            ("error", row.problem.map(ReportText.document) ?? .null),
        ])
    }

    static func failure(_ error: Diagnosis) -> JSONText {
        .object([
            ("schema", .string(schema)), ("root", .null), ("entries", .array([])), ("error", ReportText.document(error)),
        ])
    }
}
