import Foundation

public enum FigureText {
    /// Such as `98.7 %`; `–` without data.
    public static func percent(_ share: Double?) -> String { share.map { "\(decimal($0 * 100, 1)) %" } ?? "–" }

    /// Such as `95.2–99.6 %`.
    public static func interval(_ share: Share) -> String {
        share.total == 0 ? "–" : "\(decimal(share.interval.lowerBound * 100, 1))–\(decimal(share.interval.upperBound * 100, 1)) %"
    }

    /// Three digits, such as `0.42 s`, `12.3 s`, `214 s`.
    public static func seconds(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "–" }
        return "\(decimal(value, value < 10 ? 2 : value < 100 ? 1 : 0)) s"
    }

    /// Such as `12,345`.
    public static func count(_ number: Int) -> String { number.formatted(.number.locale(Locale(identifier: "en_US"))) }

    static func decimal(_ value: Double, _ digits: Int) -> String {
        value.isFinite ? String(format: "%.\(digits)f", value) : "–"
    }
}

/// Table rows, name first.
extension RunFigures {
    public var codeRows: [[String]] { codes.bars.map { [$0.name, FigureText.count($0.count), FigureText.percent($0.cumulative)] } }

    public var durationRows: [[String]] {
        (stages.map { ($0.name, $0.durations) } + [("whole run", wholeRuns)]).map { name, durations in
            [name, FigureText.count(durations.count)] + [durations.median, durations.p95, durations.longest].map(FigureText.seconds)
        }
    }
}

extension RunFigures.Yield {
    public var cells: [String] {
        [FigureText.percent(share.value), FigureText.interval(share)] + [share.count, share.total, runs].map(FigureText.count)
    }
}
