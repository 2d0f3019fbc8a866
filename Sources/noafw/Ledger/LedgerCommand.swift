import ArgumentParser

struct LedgerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Show, export and check the records of this machine's runs.",
        discussion: """
            flash, verify, rescue and chat record each run on a unit in NOAFW_STATE_DIR/ledger, however it ends.

            Examples:
              noafw ledger list --since 7d
              noafw ledger show 7f3a91c4
              noafw ledger export --csv --excel --since 2026-11-01 -o november.csv
              noafw ledger report --since 30d --html report.html
              noafw ledger check
            """,
        subcommands: [
            LedgerListCommand.self, LedgerShowCommand.self, LedgerExportCommand.self, LedgerReportCommand.self, LedgerCheckCommand.self,
            LedgerSendCommand.self, LedgerSchemaCommand.self,
        ])
}
