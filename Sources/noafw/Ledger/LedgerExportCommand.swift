import ArgumentParser
import Foundation
import Ledger
import Support

struct LedgerExportCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export recorded runs as CSV, JSON or JUnit's XML.",
        discussion: """
            CSV has a row for each run, JSON everything that is recorded. JUnit has a suite for each station and day, and a case for \
            each run that has ended: fail is a failure, error and timeout are errors, aborted is skipped.

            Examples:
              noafw ledger export --csv > runs.csv
              noafw ledger export --csv --excel -o runs.csv
              noafw ledger export --json --since 7d -o week.json
              noafw ledger export --junit --station line-1 -o line-1.xml

            Exit codes: 0 exported, 65 a newer noafw wrote the ledger, 74 it cannot be read, or the file not written.
            """)

    enum Form: String, EnumerableFlag {
        case csv, json, jsonLines, junit

        static func name(for value: Form) -> NameSpecification { value == .jsonLines ? .customLong("json-lines") : .long }

        static func help(for value: Form) -> ArgumentHelp? {
            switch value {
            case .csv: "Comma-separated values (RFC 4180), safe to open in a spreadsheet."
            case .json: "One JSON document (schema noafw.ledger/1)."
            case .jsonLines: "One JSON object a line, for many runs."
            case .junit: "JUnit's XML, as Jenkins and GitLab read it."
            }
        }
    }

    @OptionGroup(title: "Which runs") var scope: LedgerScopeOptions
    @OptionGroup(title: "Which runs") var verdicts: LedgerVerdictOptions
    @Flag(exclusivity: .exclusive) var form: Form

    @Flag(help: "With --csv: a byte order mark, and an apostrophe before texts that Excel would turn into numbers or dates.")
    var excel = false

    @Option(
        name: [.short, .long], help: ArgumentHelp("Write this file instead of standard output.", valueName: "file"), completion: .file())
    var output: OutputName?

    func validate() throws {
        if excel, form != .csv { throw ValidationError("--excel belongs to --csv.") }
    }

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: form == .json)
        let place = output.map { OutputPlace(context.path($0)) }
        return await verb.run(failure: LedgerText.failure, interrupted: { place?.abandon() ?? .unchanged }) { _ in
            let reader = try LedgerReader(context)
            var filter = scope.filter(now: reader.now)
            verdicts.add(to: &filter)
            let (export, sink) = (export, context.output)
            guard let place else {
                _ = try await reader.read(note: verb.note) { [filter] source in
                    try TextPieces.gather(into: sink.write) { try export.write(source, filter, to: $0) }
                }
                return OfflineCommand.Result(lines: [])
            }
            let count = try await reader.read(note: verb.note) { [filter] source in
                try OutputFile.replaceText(place) { try export.write(source, filter, to: $0) }
            }
            return OfflineCommand.Result(lines: ["\(LedgerText.counted(count)) in \(UntrustedText.escape(place.path.name))"])
        }
    }

    private var export: RunExport {
        switch form {
        case .csv: .csv(excel ? .excel : .plain)
        case .json: .json
        case .jsonLines: .jsonLines
        case .junit: .junit
        }
    }
}
