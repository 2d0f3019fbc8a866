import Support
import Testing

@testable import Ledger

@Suite struct FiguresTests {
    private static let ids = RunIDGenerator()

    private func run(
        _ unit: String, _ outcome: RunOutcome?, _ blame: Blame? = nil, station: String = "a", verb: String = "flash"
    ) -> RunRecord {
        let start = RunRecord(station: station, unitAddress: unit, family: "monocle", verb: verb, toolVersion: "1", host: "h")
        var run = start.begun(as: Self.ids.next(), at: UTCTime(microseconds: 0))
        (run.outcome, run.blame) = (outcome, blame)
        return run
    }

    @Test func repetitionsNeverImproveTheYield() {
        let runs = [
            run("1", .pass), run("2", .fail, .unit), run("2", .pass), run("3", .fail, .unit), run("3", .fail, .unit), run("1", .fail, .unit)
        ]
        #expect(FirstPassYield(runs).units == Share(1, of: 3))
    }

    /// Or a bad dongle reads as bad units.
    @Test func whatTellsNothingOfAUnitIsCountedBeside() {
        let runs = [
            run("1", .error, .radio), run("1", .pass), run("2", .aborted, .operator), run("3", .timeout, .station), run("3", .fail, .unit),
            run("3", .pass), run("4", .error, .radio), run("5", nil),
        ]
        let yield = FirstPassYield(runs)
        #expect(yield.units == Share(1, of: 2))
        #expect(yield.excluded == [.radio: 2, .operator: 1, .station: 1])
    }

    @Test func eachStationAndProcedureHasAFirstRun() {
        let runs = [run("1", .fail, .unit), run("1", .pass, station: "b"), run("1", .pass, verb: "verify")]
        #expect(FirstPassYield(runs).units == Share(2, of: 3))
        #expect(FirstPassYield(runs).verbs == ["flash": Share(1, of: 2), "verify": Share(1, of: 1)], "each verb has a figure of its own")
        #expect(FirstPassYield(runs).named.map(\.name) == ["First-pass yield, flash", "First-pass yield, verify"])
        #expect(FirstPassYield([]).units.value == nil && FirstPassYield([]).named.map(\.name) == ["First-pass yield"])
    }

    /// Figures of statsmodels' `proportion_confint(method="wilson")`.
    @Test(arguments: [
        (8, 10, 0.4901624715, 0.9433178485), (0, 10, 0, 0.2775327998), (10, 10, 0.7224672002, 1), (1, 1000, 0.0001765488, 0.0056427029)
    ])
    func anIntervalIsWilsons(count: Int, total: Int, low: Double, high: Double) {
        let interval = Share(count, of: total).interval
        #expect(abs(interval.lowerBound - low) < 1e-6 && abs(interval.upperBound - high) < 1e-6, "\(interval)")
    }

    /// Not nearly: rounding would miss the ends.
    @Test(arguments: 1...200) func onlyNoneAndAllReachTheEnds(total: Int) {
        for count in 0...total {
            let interval = Share(count, of: total).interval
            #expect((interval.lowerBound == 0) == (count == 0) && (interval.upperBound == 1) == (count == total))
        }
    }

    @Test func nothingKnownIsAnything() { #expect(Share(0, of: 0).interval == 0...1) }

    @Test func oneRunSaysMoreThanNone() {
        #expect(FigureText.interval(Share(0, of: 0)) == "–" && FigureText.interval(Share(1, of: 1)) == "20.7–100.0 %")
    }

    @Test func theMostFrequentComesFirst() {
        let codes = (0..<12).flatMap { Array(repeating: "C\($0)", count: $0 < 2 ? 9 : 1) }
        let bars = Pareto(codes).bars
        #expect(bars.map(\.name) == ["C0", "C1", "C10", "C11", "C2", "C3", "C4", "C5", "C6", "C7", "other"])
        #expect(bars.map(\.count) == [9, 9, 1, 1, 1, 1, 1, 1, 1, 1, 2])
        #expect(bars[1].cumulative == 18.0 / 28 && bars.last?.cumulative == 1)
        #expect(Pareto([]).bars.isEmpty)
    }

    @Test func percentilesAreInterpolated() {
        let durations = Durations([4, 1, .nan, 3, 2, .infinity])
        #expect(durations.count == 4 && durations.median == 2.5 && durations.longest == 4)
        #expect(durations.percentile(0) == 1 && durations.percentile(100) == 4 && durations.percentile(101) == nil)
        // numpy.percentile([1, 2, 3, 4], 95)
        #expect(abs((durations.p95 ?? 0) - 3.85) < 1e-9)
        #expect(Durations([]).median == nil && Durations([7]).p95 == 7)
    }
}
