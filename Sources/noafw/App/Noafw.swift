import ArgumentParser
import Bluetooth
import Foundation
import Support

/// The command line: the list of its verbs.
struct Noafw: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "noafw",
        abstract: "Provision and prove Bluetooth LE units: glasses, robots, keyboards.",
        discussion: """
            Examples:
              noafw flash                              flash the unit in reach, verify it
              noafw flash --all                        flash every unit in reach
              noafw flash --watch                      run a factory line
              noafw chat                               talk through the Monocle in reach
              noafw console                            open the prompt of the unit in reach
              noafw scan                               show the units in reach
              noafw robot test                         test an OpenBot, wheels in the air
              noafw type "Hello"                       type through an IOS-Keyboard
              noafw doctor                             check this machine
              noafw flash --virtual monocle            flash a virtual Monocle, verify it
              noafw verify --virtual monocle --deep    verify every byte, change none
              noafw bundle Scripts/monocle -o out.zip  make one file for a factory
              noafw ledger report --since 7d           show the yield of a week's runs

            noafw keeps its state in NOAFW_STATE_DIR, else in XDG_STATE_HOME/noafw, else in ~/.local/state/noafw.
            Print the version: noafw --version
            Print completions: noafw --generate-completion-script bash|zsh|fish
            """,
        subcommands: [
            FlashCommand.self, UpdateCommand.self, VerifyCommand.self, ChatCommand.self, ConsoleCommand.self, FsCommand.self,
            RestoreCommand.self, RunCommand.self, ExecCommand.self, ResetCommand.self, LogsCommand.self, DevCommand.self,
            ScreenCommand.self, PhotoCommand.self, WatchCommand.self,
            ScanCommand.self, RescueCommand.self, PairCommand.self, UnpairCommand.self, DoctorCommand.self, BundleCommand.self,
            PackageCommand.self, AssetsCommand.self, LedgerCommand.self,
            InfoCommand.self, UnitsCommand.self, ExplainCommand.self, LintCommand.self,
        ] + SupportedFamily.all.flatMap(\.bench))

    /// Parses and runs one command line; whatever happens ends in an exit code and a text for a human.
    static func execute(in context: CommandContext) async -> Int32 {
        // The parser's own --version would be an option of each verb, and assets add has one that means another thing.
        if context.arguments == ["--version"] {
            context.output.writeLine(ToolVersion.line)
            return 0
        }
        if context.arguments.isEmpty {
            Overview.lines.forEach(context.output.writeLine)
            return 0
        }
        let names = context.unitNames()
        return await UnitLabels.$known.withValue(names) { await execute(in: context, names: names) }
    }

    private static func execute(in context: CommandContext, names: [DeviceAddress: String]) async -> Int32 {
        let isPrivate = PrivateArguments.isPrivate(context.arguments, among: configuration.subcommands)
        let arguments: [String]
        do {
            let named = try DeviceArgument(names: names, isPrivate: isPrivate).resolved(context.arguments)
            arguments = isPrivate ? named : try await FetchedBundle.resolved(named, in: context)
        } catch {
            let diagnosis = diagnose(error)
            fail(diagnosis, in: context)
            return diagnosis.category.rawValue
        }
        do {
            var command = try parseAsRoot(arguments)
            if let verb = command as? any ContextCommand {
                try OptionCheck.check(context.arguments, of: type(of: verb))
                if let refusal = refusal(of: verb, in: context) { return refusal }
                return await verb.run(in: context)
            }
            try command.run()
            return 0
        } catch {
            return explain(error, in: context)
        }
    }

    /// Help, or what is wrong with the command line.
    private static func explain(_ error: any Error, in context: CommandContext) -> Int32 {
        let code = exitCode(for: error).rawValue
        let sink = code == 0 ? context.output : context.diagnostics
        let meant = code == 0 ? nil : MeantVerb.of(context.arguments).map { " Did you mean 'noafw \($0)'?" }
        if code != 0, PrivateArguments.repeats(fullMessage(for: error), context.arguments, among: configuration.subcommands) {
            fail(CommandError.usage(PrivateArguments.words + (meant.map { ". " + $0.dropFirst() } ?? "")).diagnosis, in: context)
            return code
        }
        var text = fullMessage(for: error, columns: sink.isTerminal ? HelpText.parserColumns : 100)
        let isSuggested = meant != nil || text.contains("id you mean")
        let suggestion = code == 0 || isSuggested ? meant : option(context.arguments)
        if let suggestion { text = adding(suggestion, to: text) }
        if sink.isTerminal { text = HelpText.fitted(text, columns: sink.columns()) }
        if code == 0 { text = LiveCompletion.script(text, context.arguments) }
        sink.writeLine(code == 0 ? text : UntrustedText.lines(text).joined(separator: "\n"))
        if code != 0, ErrorDocument.isWanted(context.arguments) {
            context.output.writeLine(ErrorDocument.text(usage: message(for: error) + (suggestion ?? "")))
        }
        return code
    }

    private static func option(_ arguments: [String]) -> String? {
        guard !PrivateArguments.isPrivate(arguments, among: configuration.subcommands) else { return nil }
        return MeantVerb.option(arguments).map { " Did you mean '\($0.meant)' by '\($0.typed)'?" }
    }

    /// Behind what is wrong, before how it should be.
    private static func adding(_ suggestion: String, to text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines[0] += (lines[0].hasSuffix(".") ? "" : ".") + suggestion
        return lines.joined(separator: "\n")
    }

    /// What a signal that ends the process reports until a verb has its own report.
    static func setExitReport(in context: CommandContext) {
        context.interrupts.exitReport.set { fail(FileState.unchanged.diagnosis, in: context) }
    }

    /// Nothing is done where a result would replace what has to stay.
    private static func refusal(of verb: any ContextCommand, in context: CommandContext) -> Int32? {
        do {
            try OutputGuard.check(verb, in: context)
            return nil
        } catch {
            fail(error.diagnosis, in: context)
            return error.diagnosis.category.rawValue
        }
    }

    private static func fail(_ error: Diagnosis, in context: CommandContext) {
        context.explain(error)
        if ErrorDocument.isWanted(context.arguments) { context.output.writeLine(ErrorDocument.text(error)) }
    }
}
