/// One page of HTML without script or network; a table next to each drawing has the same figures.
public enum HTMLReport {
    static let dayLimit = 31
    static let stationLimit = 20
    static let rowLimit = 100
    /// The most rows when there are too many stations for columns.
    static let lowestLimit = 30

    /// - Parameters:
    ///   - scope: the selection, such as `since 2026-11-01`.
    ///   - made: when.
    public static func page(_ figures: RunFigures, scope: String, made: UTCTime) -> String {
        let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        let sections = figures.runs == 0 ? [] : [yields(figures), stations(figures), codes(figures), durations(figures), units(figures)]
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(HTML.text(policy))">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Ledger report</title>
            <style>\(HTMLStyle.sheet)</style>
            </head>
            <body>
            <header>
            <h1>Ledger report</h1>
            <p class="lead">\(HTML.text(period(figures)))\(scope.isEmpty ? "" : " Chosen: \(HTML.text(scope)).")</p>
            </header>
            <main>
            \(cards(figures))
            \(sections.joined(separator: "\n"))
            </main>
            <footer><p>Made by noafw on \(HTML.text(String(made.iso8601.prefix(16)).replacing("T", with: " "))) UTC. \
            All days and times are UTC. An interval holds the true share in 95 of 100 cases (Wilson).</p></footer>
            </body>
            </html>

            """
    }

    private static func period(_ figures: RunFigures) -> String {
        guard let first = figures.first, let last = figures.last else { return "No run was recorded." }
        let days = first.day == last.day ? "On \(first.day)" : "From \(first.day) to \(last.day)"
        return
            "\(days): \(counted(figures.runs, "run")) of \(counted(figures.units, "unit")) at "
                + "\(counted(figures.stations.count, "station"))."
    }

    private static func counted(_ count: Int, _ name: String) -> String { "\(FigureText.count(count)) \(name)\(count == 1 ? "" : "s")" }

    private static func cards(_ figures: RunFigures) -> String {
        func card(_ name: String, _ figure: String, _ note: String) -> String {
            "<div><dt>\(HTML.text(name))</dt><dd class=\"big\">\(HTML.text(figure))</dd><dd class=\"small\">\(HTML.text(note))</dd></div>"
        }
        let excluded = figures.firstPass.excluded.sorted { $0.key.rawValue < $1.key.rawValue }
        let others = excluded.map { "\(FigureText.count($0.value)) \($0.key.rawValue)" }.joined(separator: ", ")
        let firstPass = figures.firstPass.named.map { name, share in
            card(
                name, FigureText.percent(share.value),
                "\(FigureText.count(share.count)) of \(counted(share.total, "first run")), \(FigureText.interval(share))")
        }
        return "<dl class=\"cards\">" + (firstPass + [
            card(
                "Yield of all runs", FigureText.percent(figures.yield.share.value),
                "\(FigureText.count(figures.yield.share.count)) of \(FigureText.count(figures.yield.share.total)), repetitions included"),
                card(
                    "Not counted", FigureText.count(excluded.reduce(0) { $0 + $1.value }),
                    others.isEmpty ? "no other faults" : "by fault: \(others)"),
                card(
                    "A run that passes", FigureText.seconds(figures.wholeRuns.median),
                    "95 of 100 within \(FigureText.seconds(figures.wholeRuns.p95))")
        ]).joined() + "</dl>"
    }

    private static func section(_ title: String, _ words: String, _ parts: [String]) -> String {
        "<section><h2>\(HTML.text(title))</h2><p class=\"note\">\(HTML.text(words))</p>\(parts.joined(separator: "\n"))</section>"
    }

    static func pair(_ chart: Chart, _ table: String) -> String { "<div class=\"pair\">\(chart.svg)\(table)</div>" }

    private static let yieldColumns = ["Yield", "95 % interval", "Passed", "Of", "Runs"]

    private static func yields(_ figures: RunFigures) -> String {
        let days = Array(figures.days.suffix(dayLimit))
        let left = figures.days.count > days.count ? " The drawing shows the last \(days.count) days." : ""
        let table = HTML.table(
            "Yield by day", ["Day"], numbers: yieldColumns, figures.days.suffix(rowLimit).reversed().map { [$0.name] + $0.yield.cells })
        return section(
            "Yield by day", "Runs that passed, of those that passed or failed by the unit’s own fault.\(left)",
            [pair(YieldCharts.days(days, id: "days"), table)])
    }

    private static func stations(_ figures: RunFigures) -> String {
        let drawn = figures.stations.sorted { ($1.yield.runs, $0.name) < ($0.yield.runs, $1.name) }.prefix(stationLimit).sorted {
            $0.name.isNumbered(before: $1.name)
        }
        let left = figures.stations.count > drawn.count ? " The drawing shows the \(drawn.count) stations with the most runs." : ""
        let rows = figures.stations.prefix(rowLimit).map { [$0.name] + $0.yield.cells }
        let table = HTML.table("Yield by station", ["Station"], numbers: yieldColumns, rows)
        var parts = [pair(YieldCharts.stations(drawn, id: "stations"), table)]
        if figures.stations.count > 1 { parts.append(stationDays(figures)) }
        return section("Yield by station", "The same, for each station.\(left)", parts)
    }

    /// A column per station if they are few; otherwise the days that stand out.
    private static func stationDays(_ figures: RunFigures) -> String {
        guard figures.stations.count <= 8 else {
            // By the interval's upper end: 0 % of 1 says less than 50 % of 100.
            let lowest = figures.stationDays.filter { $0.yield.share.total > 0 }.sorted {
                ($0.yield.share.interval.upperBound, $1.day, $0.station) < ($1.yield.share.interval.upperBound, $0.day, $1.station)
            }
            let rows = lowest.prefix(lowestLimit).map { [$0.day, $0.station] + $0.yield.cells }
            let caption = "The lowest yields of a station on a day, by the upper end of their interval"
            return HTML.table(caption, ["Day", "Station"], numbers: yieldColumns, rows)
        }
        let yields = Dictionary(grouping: figures.stationDays, by: \.day).mapValues {
            Dictionary($0.map { ($0.station, $0.yield.share) }) { first, _ in first }
        }
        let rows = yields.sorted { $0.key > $1.key }.prefix(rowLimit).map { day, shares in
            [day] + figures.stations.map { station in
                shares[station.name].map { "\(FigureText.percent($0.value)) of \(FigureText.count($0.total))" } ?? "–"
            }
        }
        return HTML.table("Yield by day and station", ["Day"], numbers: figures.stations.map(\.name), rows)
    }

    private static func codes(_ figures: RunFigures) -> String {
        guard !figures.codes.bars.isEmpty else {
            return section("Error codes", figures.runs > figures.openRuns ? "Every run that ended has passed." : "No run has ended.", [])
        }
        let table = HTML.table("Runs that did not pass, by their first error", ["Code"], numbers: ["Runs", "Added up"], figures.codeRows)
        return section(
            "Error codes",
            "The first error of each run that did not pass, whoever’s fault it was. noafw’s page of errors explains each code.",
            [pair(ParetoChart.chart(figures.codes, id: "codes"), table)])
    }

    private static func durations(_ figures: RunFigures) -> String {
        let columns = ["Times", "P50", "P95", "Longest"]
        let table = HTML.table("Seconds that a stage took", ["Stage"], numbers: columns, figures.durationRows)
        return section(
            "Durations",
            "How long each stage took where it passed, on a logarithmic axis. Half of the times lie below P50, 95 of 100 below P95.",
            [pair(DurationChart.chart(figures.stages, id: "durations"), table)])
    }

    private static func units(_ figures: RunFigures) -> String {
        func table(_ caption: String, _ units: [RunFigures.Unit]) -> String {
            let rows = units.map { [$0.name, FigureText.count($0.runs), FigureText.seconds($0.longest), FigureText.count($0.retries)] }
            return HTML.table(caption, ["Unit"], numbers: ["Runs", "Longest", "Retries"], rows)
        }
        let slow = UnitChart.chart(figures.slowest, id: "slowest", title: "The slowest units", figure: \.longest) {
            FigureText.seconds($0.longest)
        }
        let retried = UnitChart.chart(figures.mostRetried, id: "retried", title: "The most retried units", figure: { Double($0.retries) }) {
            FigureText.count($0.retries)
        }
        let none = "<p>No run had to begin anything again.</p>"
        return section(
            "Units that stand out", "Longest runs and most retries: candidates for a second look.",
            [
                pair(slow, table("The slowest units, by their longest run", figures.slowest)),
                figures.mostRetried.isEmpty ? none : pair(retried, table("The most retried units", figures.mostRetried)),
            ])
    }
}
