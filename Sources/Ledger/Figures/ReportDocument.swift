import Foundation

/// A report's figures as a document: shares are 0 to 1, durations are seconds, times are ISO 8601 in UTC.
public struct ReportDocument: Encodable, Sendable {
    struct ShareText: Encodable {
        var name: String?
        var passed: Int
        var of: Int
        var share: Double?
        var low: Double
        var high: Double
        var runs: Int?

        init(_ share: Share, name: String? = nil, runs: Int? = nil) {
            (self.name, passed, of, self.share, self.runs) = (name, share.count, share.total, share.value, runs)
            (low, high) = (share.interval.lowerBound, share.interval.upperBound)
        }

        init(_ yield: RunFigures.NamedYield) { self.init(yield.yield.share, name: yield.name, runs: yield.yield.runs) }
    }

    struct Code: Encodable { var code: String, runs: Int }

    struct Stage: Encodable {
        var name: String
        var count: Int
        var median: Double?
        var p95: Double?
        var longest: Double?

        init(_ name: String, _ durations: Durations) {
            (self.name, count) = (name, durations.count)
            (median, p95, longest) = (durations.median, durations.p95, durations.longest)
        }
    }

    let schema = "noafw.report/1"
    let first: String?
    let last: String?
    let runs: Int
    let openRuns: Int
    let units: Int
    let outcomes: [String: Int]
    let yield: ShareText
    let firstPass: [ShareText]
    /// Runs that say nothing about their unit, by whose fault they were.
    let notCounted: [String: Int]
    let days: [ShareText]
    let stations: [ShareText]
    let codes: [Code]
    let stages: [Stage]
    let wholeRuns: Stage

    public init(_ figures: RunFigures) {
        (first, last) = (figures.first?.iso8601, figures.last?.iso8601)
        (runs, openRuns, units) = (figures.runs, figures.openRuns, figures.units)
        outcomes = Dictionary(uniqueKeysWithValues: figures.outcomes.map { ($0.key.rawValue, $0.value) })
        yield = ShareText(figures.yield.share, runs: figures.yield.runs)
        firstPass = figures.firstPass.verbs.sorted { $0.key < $1.key }.map { ShareText($0.value, name: $0.key) }
        notCounted = Dictionary(uniqueKeysWithValues: figures.firstPass.excluded.map { ($0.key.rawValue, $0.value) })
        (days, stations) = (figures.days.map { ShareText($0) }, figures.stations.map { ShareText($0) })
        codes = figures.codes.bars.map { Code(code: $0.name, runs: $0.count) }
        stages = figures.stages.map { Stage($0.name, $0.durations) }
        wholeRuns = Stage("whole run", figures.wholeRuns)
    }

    public func text() throws -> String {
        let encoder = JSONExport.encoder([])
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return try JSONExport.text(self, encoder)
    }
}
