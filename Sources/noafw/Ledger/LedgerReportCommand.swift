import ArgumentParser
import Ledger
import Support

struct LedgerReportCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show the yield, the errors and the durations of recorded runs.",
        discussion: """
            The first-pass yield counts each unit once, by its first run of a verb at a station; repetitions never improve it. Runs that \
            failed because of the station, the radio, an input or an operator do not count; they are reported separately.

            Examples:
              noafw ledger report --since 7d
              noafw ledger report --station line-1 --verb flash
              noafw ledger report --since 2026-11-01 --html november.html
              noafw ledger report --since 30d --json

            Exit codes: 0 reported, 65 a newer noafw wrote the ledger, 74 it cannot be read, or the file not written.
            """)

    @OptionGroup(title: "Which runs") var scope: LedgerScopeOptions

    @Option(
        help: ArgumentHelp("Write one HTML page with charts to this file. It needs no network and no script.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: OutputName?

    @Flag(help: "Print one JSON document on standard output (schema noafw.report/1), and all else on standard error.")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: json)
        let place = html.map { OutputPlace(context.path($0)) }
        return await verb.run(failure: LedgerText.failure, interrupted: { place?.abandon() ?? .unchanged }) { style in
            let reader = try LedgerReader(context)
            var filter = scope.filter(now: reader.now)
            let since = filter.since
            filter.since = nil
            let figures = try await reader.read(note: verb.note) { [filter] source in
                var figures = RunFigures(since: since)
                try source.forEach(filter, of: nil) { figures.add($0) }
                return figures
            }
            let document = WrittenJSON(json ? try ReportDocument(figures).text() : "")
            guard let place else { return OfflineCommand.Result(lines: ReportLines.lines(figures, style), document: document) }
            let page = HTMLReport.page(figures, scope: scope.words(now: reader.now), made: reader.now)
            try OutputFile.replace(place, with: Array(page.utf8))
            return OfflineCommand.Result(
                lines: ["the report of \(LedgerText.counted(figures.runs)) is in \(UntrustedText.escape(place.path.name))"],
                document: document)
        }
    }
}
