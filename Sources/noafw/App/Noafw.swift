import ArgumentParser
import Foundation

/// The command line: the list of its verbs.
struct Noafw: ParsableCommand {
    /// The parser's help ends the process where its left column of 26 leaves no room.
    private static let leastColumns = 40

    static let configuration = CommandConfiguration(
        commandName: "noafw",
        abstract: "Provision Brilliant Labs' glasses over Bluetooth LE.",
        discussion: """
            Examples:
              noafw flash                              flash and prove the Monocle in reach
              noafw chat                               talk through the Monocle in reach
              noafw console                            Python's prompt on the Monocle in reach
              noafw scan                               show who is in reach
              noafw doctor                             what this machine lacks
              noafw flash --virtual monocle            flash and prove a virtual Monocle
              noafw verify --virtual monocle --deep    prove every byte without changing any
              noafw bundle Scripts/monocle -o out.zip  what a factory flashes, in one file

            State is kept under NOAFW_STATE_DIR, else XDG_STATE_HOME/noafw, else ~/.local/state/noafw.
            Completions for your shell: noafw --generate-completion-script bash|zsh|fish
            """,
        version: ToolVersion.current,
        subcommands: [
            FlashCommand.self, VerifyCommand.self, ChatCommand.self, ConsoleCommand.self, ScanCommand.self, RescueCommand.self,
            DoctorCommand.self, BundleCommand.self, PackageCommand.self, AssetsCommand.self,
        ])

    /// Parses and runs one command line; whatever happens ends in an exit code and a text for a human.
    static func execute(in context: CommandContext) async -> Int32 {
        do {
            var command = try parseAsRoot(context.arguments)
            if let verb = command as? any ContextCommand {
                try OptionCheck.check(context.arguments, of: type(of: verb))
                return await verb.run(in: context)
            }
            try command.run()
            return 0
        } catch {
            let code = exitCode(for: error).rawValue
            let sink = code == 0 ? context.output : context.diagnostics
            let text = fullMessage(for: error, columns: sink.isTerminal ? max(Self.leastColumns, sink.columns()) : 100)
            sink.writeLine(code == 0 ? text : UntrustedText.lines(text).joined(separator: "\n"))
            if code != 0, ErrorDocument.isWanted(context.arguments) {
                context.output.writeLine(ErrorDocument.text(usage: message(for: error)))
            }
            return code
        }
    }
}
