import ArgumentParser
import Ledger
import Support

struct LedgerShowCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show everything recorded about one run.",
        discussion: """
            Examples:
              noafw ledger show 7f3a91c4
              noafw ledger show 019d4c2e-71b6 --json

            Exit codes: 0 shown, 65 more than one run matches, 66 there is no such run, 74 the ledger cannot be read.
            """)

    @Argument(help: ArgumentHelp("The run's id, or at least four digits of its beginning or end.", valueName: "run"))
    var run: String

    @Flag(help: "Print one JSON document on standard output, and all else on standard error.")
    var json = false

    func validate() throws {
        let digits = run.lowercased()
        guard (4...36).contains(digits.utf8.count), digits.allSatisfy({ $0.isHexDigit || $0 == "-" }) else {
            throw ValidationError("give 4 to 36 digits of a run's id, such as 7f3a91c4.")
        }
    }

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: json)
        return await verb.run(failure: LedgerText.failure) { style in
            let reader = try LedgerReader(context)
            var filter = RunFilter()
            filter.id = run.lowercased()
            let runs = try await reader.runs(filter, note: verb.note)
            guard let found = runs.first else { throw LedgerError.noSuchRun(run) }
            guard runs.count == 1 else { throw LedgerError.severalRuns(run, found: runs.prefix(5).map { "\($0.id)" }) }
            return OfflineCommand.Result(
                lines: RunDetails.lines(found, style), document: WrittenJSON(json ? try RunExport.json.text(runs) : ""))
        }
    }
}
