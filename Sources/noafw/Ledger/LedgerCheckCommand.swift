import ArgumentParser
import Ledger
import LedgerStore
import Support

struct LedgerCheckCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the ledger: the file, the numbers of the runs, the spool.",
        discussion: """
            Examples:
              noafw ledger check
              noafw ledger check --acknowledge
              noafw ledger check --json

            Exit codes: 0 sound, 65 damage, missing numbers, a spool or a ledger that was moved aside, 66 no run, \
            74 it cannot be read.
            """)

    @Flag(help: "Stop warning about damaged ledgers that were moved aside. Their files stay.")
    var acknowledge = false

    @Flag(help: "Print one JSON document on standard output, and all else on standard error.")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        await OfflineCommand(context: context, isJSON: json).run(failure: LedgerText.failure) { _ in
            let reader = try LedgerReader(context)
            let ledger = reader.ledger
            let acknowledged = acknowledge ? try await ledger.acknowledgeBroken() : []
            let check = try await ledger.check()
            let findings = Self.findings(check)
            let error: LedgerError? =
                findings.isEmpty ? check.isSound ? nil : .noRuns(folder: reader.folder) : .unsound(findings: findings.count)
            let moved = acknowledged.map { "acknowledged: \(UntrustedText.escape($0))" }
            return OfflineCommand.Result(
                lines: moved + ["\(LedgerText.counted(check.runs)), \(check.openRuns) not ended"]
                    + (check.isSound ? ["the ledger is sound"] : findings),
                document: CheckDocument(check, acknowledged, error?.diagnosis), error: error?.diagnosis)
        }
    }

    private static func findings(_ check: LedgerCheck) -> [String] {
        let gaps = check.gaps.map { gap in
            let numbers =
                gap.missing.count == 1
                ? "number \(gap.missing.lowerBound) is" : "numbers \(gap.missing.lowerBound) to \(gap.missing.upperBound) are"
            return "station \(UntrustedText.escape(gap.station)): \(numbers) missing: a record was deleted"
        }
        let spool =
            check.spooledBytes > 0
            ? ["\(Format.bytes(check.spooledBytes)) bytes of records wait in the spool: the next run takes them in"] : []
        let refused = check.refusedRuns.sorted { $0.key < $1.key }.map { station, count in
            let command = CommandLineText.same(["ledger", "send", "--station", station])
            return
                "the server refuses \(LedgerText.counted(count)) of station \(UntrustedText.escape(station)): "
                    + "\(UntrustedText.escape(command)) shows why"
        }
        let broken = check.broken.map {
            "a damaged ledger was moved to \(UntrustedText.escape($0)): copy it to a safe place, then run with --acknowledge"
        }
        return check.damages.map { "damaged: \(UntrustedText.escape($0))" } + gaps + refused + spool + broken
    }
}

private struct CheckDocument: Encodable {
    struct Gap: Encodable { var station: String, first: Int64, last: Int64 }

    private enum CodingKeys: String, CodingKey {
        case schema, sound, runs, openRuns = "open_runs", refusedRuns = "refused_runs", damages, gaps, spooledBytes = "spooled_bytes",
            broken
        case acknowledged, error
    }

    let schema = "noafw.ledger-check/1"
    let sound: Bool
    let runs: Int
    let openRuns: Int
    let refusedRuns: Int
    let damages: [String]
    let gaps: [Gap]
    let spooledBytes: Int
    let broken: [String]
    let acknowledged: [String]
    let error: Diagnosis?

    init(_ check: LedgerCheck, _ acknowledged: [String], _ error: Diagnosis?) {
        (sound, runs, openRuns, damages) = (check.isSound, check.runs, check.openRuns, check.damages)
        refusedRuns = check.refusedRuns.values.reduce(0, +)
        gaps = check.gaps.map { Gap(station: $0.station, first: $0.missing.lowerBound, last: $0.missing.upperBound) }
        (spooledBytes, broken, self.acknowledged, self.error) = (check.spooledBytes, check.broken, acknowledged, error)
    }
}
