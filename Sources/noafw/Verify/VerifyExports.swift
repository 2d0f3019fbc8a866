import Bluetooth
import Ledger
import Provisioning
import Support

/// The results of `verify` for other programs.
enum VerifyExports {
    private static let columns = [
        "unit", "address", "family", "part", "state", "expected", "actual", "proof", "differences", "code", "reason", "seconds",
    ]

    /// A row for each part of each unit.
    static func csv(_ rows: [FindingRow], isDeep: Bool, form: CSVText.Form = .plain) -> String {
        CSVText.document(columns, rows.map { row in
            [
                .text(row.unit.id), CSVText.Cell(value: row.unit.address), CSVText.Cell(value: row.unit.family?.rawValue),
                CSVText.Cell(value: row.component?.name), .value(row.state.rawValue), CSVText.Cell(row.finding?.expected),
                    CSVText.Cell(row.finding?.actual),
                    CSVText.Cell(value: row.component.map { ReportText.evidence(for: $0, isDeep: isDeep).rawValue }),
                CSVText.Cell(row.finding.flatMap { $0.differences.isEmpty ? nil : $0.differences.joined(separator: "; ") }),
                    CSVText.Cell(value: row.error?.code), CSVText.Cell(row.reason.isEmpty ? nil : row.reason),
                    .value(Format.plain(row.seconds))
            ]
        }, form: form)
    }

    /// A case for each part of each unit; the unit's seconds are its first one's.
    static func junit(_ rows: [FindingRow], start: UTCTime, host: String) -> String {
        var timed: Set<String> = []
        let cases = rows.map { row in
            JUnitText.Case(
                ["noafw", row.unit.family?.rawValue ?? "unit", row.component?.name ?? "unit"], name: row.unit.id,
                milliseconds: timed.insert(row.unit.id).inserted ? Int64(min(max(row.seconds, 0), 1e9) * 1000) : 0, result: result(row))
        }
        return JUnitText.document([JUnitText.Suite(name: "noafw verify", start: start, host: host, cases: cases)])
    }

    private static func result(_ row: FindingRow) -> JUnitText.Result {
        switch row.state {
        case .matches, .allowed: .passed
        case .drifted, .older, .newer, .unknown: .failure(message: row.reason, type: row.state.rawValue)
        case .unreachable: .error(message: row.reason, type: row.state.rawValue)
        case .notExpected: .skipped(message: row.reason.isEmpty ? "not expected here" : row.reason)
        }
    }
}
