import ArgumentParser
import Ledger
import Support

struct LedgerListCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the recorded runs, the newest last.",
        discussion: """
            Examples:
              noafw ledger list --since 12h
              noafw ledger list --unit D3:5A:00:11:22:33
              noafw ledger list --verdict fail --code DFU-0B05 --limit 20

            Times are UTC. noafw ledger show accepts a run's last eight digits.

            Exit codes: 0 listed, 65 a newer noafw wrote the ledger, 74 it cannot be read.
            """)

    @OptionGroup(title: "Which runs") var scope: LedgerScopeOptions
    @OptionGroup(title: "Which runs") var verdicts: LedgerVerdictOptions

    @Flag(help: "Print one JSON document on standard output, and all else on standard error.")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: json)
        return await verb.run(failure: LedgerText.failure) { style in
            let reader = try LedgerReader(context)
            var filter = scope.filter(now: reader.now)
            verdicts.add(to: &filter)
            let runs = try await reader.runs(filter, note: verb.note)
            return OfflineCommand.Result(
                lines: runs.isEmpty ? ["no recorded run matches"] : LedgerText.table(runs, style),
                document: WrittenJSON(json ? try RunExport.json.text(runs) : ""))
        }
    }
}
