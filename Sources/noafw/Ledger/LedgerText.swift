import Ledger
import Support

enum LedgerText {
    private struct Failure: Encodable {
        var schema = JSONExport.schema
        var error: Diagnosis
    }

    static func failure(_ error: Diagnosis) -> any Encodable & Sendable { Failure(error: error) }

    static func table(_ runs: [RunRecord], _ style: TextStyle) -> [String] {
        var table = TextTable([
            .init("started"), .init("run"), .init("station", leftOut: 4), .init("unit", keeping: .end), .init("serial", leftOut: 2),
            .init("verb", keeping: .start), .init("verdict"),
            .init("code", keeping: .start),
            .init("seconds", .right, leftOut: 3), .init("retries", .right, leftOut: 1),
        ])
        for run in runs {
            table.append([
                moment(run.startedAt), run.id.shortText, UntrustedText.escape(run.station),
                UntrustedText.escape(UnitLabels.labelled(run.unitAddress)),
                run.serial.map(UntrustedText.escape) ?? "-", UntrustedText.escape(run.verb), verdict(run),
                run.code.map(UntrustedText.escape) ?? "-",
                run.elapsedMilliseconds.map { Format.seconds(Double($0) / 1000) } ?? "-", run.retries > 0 ? "\(run.retries)" : "-",
            ])
        }
        return table.lines(style: style) { tone(runs[$0]) }
    }

    static func verdict(_ run: RunRecord) -> String {
        switch run.outcome {
        case .pass: "PASS"
        case .fail: "FAIL"
        case .error: "ERROR"
        case .timeout: "TIMEOUT"
        case .aborted: "ABORTED"
        case nil: "running"
        }
    }

    static func tone(_ run: RunRecord) -> TextStyle.Tone? {
        switch run.outcome {
        case .pass: nil
        case .fail: .bad
        case .error, .timeout, .aborted: .careful
        case nil: nil
        }
    }

    static func counted(_ runs: Int) -> String { runs == 1 ? "1 run" : "\(FigureText.count(runs)) runs" }

    static func moment(_ time: UTCTime) -> String { String(time.iso8601.prefix(19)).replacing("T", with: " ") }
}
