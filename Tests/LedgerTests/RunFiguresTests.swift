import Foundation
import Support
import TestSupport
import Testing

@testable import Ledger

/// What a report shows.
@Suite struct RunFiguresTests {
    private let ids = RunIDGenerator()

    private func run(
        _ unit: Int, _ outcome: RunOutcome = .pass, _ blame: Blame? = nil, day: Int64 = 0, station: String = "s", retries: Int = 0,
        seconds: Int64 = 50,
        steps: [(String, Int64)] = []
    ) -> RunRecord {
        let start = RunRecord(station: station, unitAddress: "C0:\(unit)", family: "monocle", verb: "flash", toolVersion: "1", host: "h")
        // 2026-11-18
        var run = start.begun(as: ids.next(), at: UTCTime(microseconds: 1_794_960_000_000_000 + day * 86_400_000_000))
        (run.outcome, run.blame, run.code) = (outcome, blame, outcome == .pass ? nil : "FPGA-0003")
        (run.retries, run.elapsedMilliseconds) = (retries, seconds * 1000)
        run.steps = steps.map { RunStep(name: $0.0, startMilliseconds: 0, milliseconds: $0.1) }
        return run
    }

    @Test func yieldsCountWhatTellsOfAUnit() {
        let figures = RunFigures([
            run(1), run(2, .fail, .unit), run(3, .error, .radio, day: 1), run(4, day: 1, station: "t"),
            run(5, .aborted, .operator, day: 1, station: "t")
        ])
        #expect(figures.days.map(\.name) == ["2026-11-18", "2026-11-19"])
        #expect(figures.days.map(\.yield.share) == [Share(1, of: 2), Share(1, of: 1)] && figures.days.map(\.yield.runs) == [2, 3])
        #expect(figures.stations.map(\.yield.share) == [Share(1, of: 2), Share(1, of: 1)] && figures.stationDays.count == 3)
        #expect(figures.outcomes == [.pass: 2, .fail: 1, .error: 1, .aborted: 1] && figures.firstPass.excluded == [.radio: 1, .operator: 1])
    }

    /// A system that asks for the figures every night.
    @Test func theDocumentHasWhatThePageShows() throws {
        let history = [
            run(1, steps: [("connect", 2000)]), run(2, .fail, .unit), run(3, .error, .radio, station: "line \u{1B}[2J\u{202E}\"")
        ]
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(ReportDocument(RunFigures(history)).text().utf8)) as? [String: Any])
        #expect(document["schema"] as? String == "noafw.report/1" && document["runs"] as? Int == 3 && document["units"] as? Int == 3)
        let yield = try #require(document["yield"] as? [String: Any])
        #expect(yield["passed"] as? Int == 1 && yield["of"] as? Int == 2 && yield["share"] as? Double == 0.5 && yield["runs"] as? Int == 3)
        #expect(document["not_counted"] as? [String: Int] == ["radio": 1] && (document["outcomes"] as? [String: Int])?["fail"] == 1)
        #expect((document["codes"] as? [[String: Any]])?.first?["code"] as? String == "FPGA-0003")
        #expect((document["stages"] as? [[String: Any]])?.first?["median"] as? Double == 2)
        #expect((document["first"] as? String)?.hasPrefix("2026-11-18T") == true)
        #expect((document["stations"] as? [[String: Any]])?.count == 2)
        let text = try ReportDocument(RunFigures(history)).text()
        #expect(text.unicodeScalars.allSatisfy(PrintableText.isPrintable), "\(text)")
        #expect(try ReportDocument(RunFigures([])).text().contains(#""runs":0"#))
    }

    /// A unit that failed last week is no first run today.
    @Test func whatCameBeforeIsKnownButNotCounted() {
        let history = [run(1, .fail, .unit), run(2, .error, .radio), run(1, day: 7), run(2, day: 7), run(3, .fail, .unit, day: 7)]
        let figures = RunFigures(history, since: UTCTime(iso8601: "2026-11-25"))
        #expect(figures.firstPass.units == Share(1, of: 2) && figures.firstPass.excluded.isEmpty)
        #expect(figures.runs == 3 && figures.yield.share == Share(2, of: 3))
    }

    @Test func stationsAreSortedAsTheyAreNumbered() {
        let names = ["line-10", "line-2", "line-1", "bench", "line-02"]
        let figures = RunFigures(names.map { run(1, station: $0) })
        #expect(figures.stations.map(\.name) == ["bench", "line-1", "line-02", "line-2", "line-10"])
        #expect(figures.stationDays.map(\.station) == figures.stations.map(\.name))
    }

    /// One unit that failed is no worse than half of a hundred.
    @Test func theLowestYieldIsTheSurest() throws {
        let many = (0..<100).map { run($0, $0 < 50 ? .pass : .fail, $0 < 50 ? nil : .unit, station: "many") }
        let others = (0..<8).map { run($0, station: "line-\($0)") }
        let page = HTMLReport.page(RunFigures(many + others + [run(1, .fail, .unit, station: "one")]), scope: "", made: .now)
        let table = try #require(page.components(separatedBy: "The lowest yields of a station").last)
        let (first, second) = (try #require(table.range(of: ">many<")), try #require(table.range(of: ">one<")))
        #expect(first.lowerBound < second.lowerBound)
    }

    @Test func stagesComeInTheOrderOfTheRun() {
        let figures = RunFigures([
            run(1, steps: [("connect", 1000), ("probe", 500), ("scripts", 3000), ("proof", 800)]),
            run(
                2,
                steps: [
                    ("connect", 3000), ("probe", 700), ("connect", 2000), ("firmware", 9000), ("restart", 10), ("scripts", 4000),
                    ("proof", 900)
                ])
        ])
        #expect(figures.stages.map(\.name) == ["connect", "probe", "firmware", "restart", "scripts", "proof"])
        #expect(figures.stages[0].durations.count == 3 && figures.stages[0].durations.median == 2)
    }

    @Test func unitsThatStandOutAreFew() {
        let figures = RunFigures((0..<40).map { run($0, retries: $0 % 3, seconds: Int64($0)) })
        #expect(figures.slowest.map(\.longest) == (30...39).reversed().map(Double.init))
        #expect(figures.mostRetried.count == 10 && figures.mostRetried.allSatisfy { $0.retries == 2 })
        #expect(RunFigures([run(1)]).mostRetried.isEmpty && RunFigures([run(1, retries: 1)]).mostRetried.count == 1)
    }

    @Test func aHistogramHoldsAll() {
        let durations = Durations([0, 1, 1.5, 2, 4])
        #expect(durations.histogram([0, 1, 2, 4]) == [1, 2, 2] && Durations([]).histogram([0, 1]) == [0])
    }

    /// Most yields are near the top: the scale begins not far below the lowest, and is as long as the drawing.
    @Test(arguments: [(400, 0, ["90 %", "95 %", "100 %"]), (3, 3, ["0 %", "50 %", "100 %"])] as [(Int, Int, [String])])
    func aScaleHoldsAllYields(passed: Int, failed: Int, labels: [String]) {
        let figures = RunFigures((0..<passed).map { run($0) } + (0..<failed).map { run(1000 + $0, .fail, .unit) })
        let stations = YieldCharts.stations(figures.stations, id: "x").svg
        let across = stations.matches(of: /<text x="([0-9.]+)" y="[0-9.]+" class="label" text-anchor="middle">([^<]*)</)
        #expect(across.map { String($0.output.2) } == labels, "\(stations)")
        #expect(across.map { String($0.output.1) } == ["150", "360", "570"], "\(stations)")
        let days = YieldCharts.days(figures.days, id: "x").svg
        let upwards = days.matches(of: /y="([0-9.]+)" class="label" text-anchor="end">([0-9]+ %)</)
        #expect(upwards.map { String($0.output.2) } == labels, "\(days)")
        #expect(upwards.map { String($0.output.1) } == ["214", "116", "18"], "\(days)")
    }

    /// It would reach into the drawing; the table beside it has the whole one.
    @Test func aLongNameIsCut() {
        #expect(Chart.shortened("line-1234", to: 9) == "line-1234" && Chart.shortened("line-12345", to: 9) == "line-123…")
    }

    /// The powers of ten around all durations.
    @Test(arguments: [
        ([], ["0.1 s", "1 s", "10 s"]), ([0.2, 30], ["0.1 s", "1 s", "10 s", "100 s"]), ([2, 10], ["1 s", "10 s"]),
        ([0.001], ["0.01 s", "0.1 s"])
    ] as [([Double], [String])])
    func anAxisBeginsAndEndsAtAPowerOfTen(seconds: [Double], labels: [String]) {
        let stages = seconds.isEmpty ? [] : [RunFigures.Stage(name: "proof", durations: Durations(seconds))]
        let drawing = DurationChart.chart(stages, id: "x").svg
        let drawn = drawing.matches(of: /text-anchor="middle">([^<]*)</).map { String($0.output.1) }
        #expect(drawn == labels, "\(drawing)")
    }

    @Test(arguments: [([], "No run was recorded."), ([RunOutcome.pass], "1 run of 1 unit at 1 station.")] as [([RunOutcome], String)])
    func aPageOfFewRunsIsWhole(outcomes: [RunOutcome], words: String) {
        let page = HTMLReport.page(RunFigures(outcomes.map { run(1, $0) }), scope: "", made: UTCTime(microseconds: 0))
        #expect(page.contains(words) && page.hasSuffix("</html>\n"), "\(page)")
        #expect(!page.contains("nan") && !page.contains("inf "))
    }

    /// Tests/Pictures shows them; NOAFW_WRITE_GOLDEN=1 draws them anew.
    @Test func theDrawingsAreAsPublished() throws {
        let stages: [(String, Int64)] = [("connect", 900), ("firmware", 9000), ("fpga", 41_000), ("proof", 2600)]
        var runs: [RunRecord] = []
        for number in 0..<60 {
            let outcome: RunOutcome = number % 9 == 4 ? .fail : number % 13 == 5 ? .error : .pass
            runs.append(
                run(
                    number % 50, outcome, outcome == .pass ? nil : outcome == .fail ? .unit : .radio, day: Int64(number / 12),
                    station: "line-\(number % 3)", retries: number % 4, seconds: Int64(40 + number * 7 % 30),
                    steps: stages.map { ($0.0, $0.1 + Int64(number * number % 17) * 400) }))
            if outcome == .fail { runs[number].code = "DFU-000\(number % 3)" }
        }
        let drawings = drawings(runs)
        let file = TestTools.root.appendingPathComponent("Tests/Pictures/ledger-report.svg.txt")
        if ProcessInfo.processInfo.environment["NOAFW_WRITE_GOLDEN"] != nil { try Data(drawings.utf8).write(to: file) }
        #expect(try drawings == String(contentsOf: file, encoding: .utf8))
    }

    private func drawings(_ runs: [RunRecord]) -> String {
        HTMLReport.page(RunFigures(runs), scope: "", made: UTCTime(microseconds: 0)).matches(of: /<svg[\s\S]*?<\/svg>/)
            .map { String($0.output) }.joined(separator: "\n") + "\n"
    }

    /// Of 25 stations the first 15 have two runs.
    @Test func theDrawingsShowTheLastDaysAndTheStationsWithMostRuns() {
        let drawings = drawings((0..<40).map { run($0, day: Int64($0), station: "line-\($0 % 25)") })
        #expect(drawings.contains(">11-27<") && !drawings.contains(">11-18<"))
        #expect((0..<20).allSatisfy { drawings.contains(">line-\($0)<") } && !drawings.contains(">line-20<"))
    }

    @Test func theShortestStagesHaveABar() {
        let bars = [1, 2000].map { drawings([run(1, steps: [("connect", $0)])]).matches(of: /class="good"/).count }
        #expect(bars[0] == bars[1] && bars[0] > 0)
    }

    @Test func aRowBeginsWithItsName() {
        let page = HTMLReport.page(RunFigures([run(1, station: "line-1")]), scope: "", made: .now)
        #expect(page.contains("<th scope=\"row\">line-1</th>"))
    }

    @Test func aRunThatHasNotEndedHasNotPassed() {
        var open = run(1, .pass)
        open.outcome = nil
        #expect(HTMLReport.page(RunFigures([open]), scope: "", made: .now).contains("No run has ended."))
        #expect(HTMLReport.page(RunFigures([open, run(2, .pass)]), scope: "", made: .now).contains("Every run that ended has passed."))
    }

    @Test func namesInThePageAreText() {
        var hostile = run(1, .fail, .unit, station: "<b>&\"'")
        (hostile.serial, hostile.code) = ("</title><script>x</script>", "\" onload=\"x")
        let page = HTMLReport.page(RunFigures([hostile]), scope: "<i>", made: .now)
        for text in ["<script", "<b>", "<i>", "\" onload=\""] { #expect(!page.contains(text), "\(text)") }
    }

    @Test(arguments: [
        ("2026-11-22", 1_795_305_600), ("2026-11-22T14:23", 1_795_357_380), ("2026-11-22T14:23:47Z", 1_795_357_427), ("1970-01-01", 0),
        ("2024-02-29", 1_709_164_800),
        ("0001-01-01", -62_135_596_800), ("9999-12-31T23:59:59", 253_402_300_799),
    ])
    func aMomentIsRead(text: String, seconds: Int64) {
        let time = UTCTime(iso8601: text)
        #expect(time?.microseconds == seconds * 1_000_000 && time?.iso8601.hasPrefix(text.replacing("Z", with: "")) == true)
    }

    @Test(arguments: [
        "", "2026-13-01", "2026-02-29", "2026-00-10", "2026-11-22T24:00", "2026-11-22 14:00", "26-11-22", "２０２６-11-22",
        "2026-11-22T14:00+01:00"
    ])
    func anythingElseIsNoMoment(text: String) { #expect(UTCTime(iso8601: text) == nil) }
}
