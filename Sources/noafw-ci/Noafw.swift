import ArgumentParser
import Support

/// The command line of a release job.
struct Noafw: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "noafw-ci",
        abstract: "Make and check release bundles and firmware packages: the verbs of noafw for a release job.",
        discussion: """
            Examples:
              noafw-ci bundle scripts -o release.zip --sign release-key.pem
              noafw-ci bundle --check release.zip scripts
              noafw-ci package inspect app.zip

            Everything else is in noafw itself.
            Print the version: noafw-ci --version
            """,
        subcommands: [BundleCommand.self, PackageCommand.self])

    /// Parses and runs one command line; whatever happens ends in an exit code and a text for a human.
    static func execute(in context: CommandContext) async -> Int32 {
        if context.arguments == ["--version"] {
            context.output.writeLine(ToolVersion.line)
            return 0
        }
        do {
            var command = try parseAsRoot(context.arguments)
            guard let verb = command as? any ContextCommand else {
                try command.run()
                return 0
            }
            try OptionCheck.check(context.arguments, of: type(of: verb))
            try OutputGuard.check(verb, in: context)
            return await verb.run(in: context)
        } catch let error as CommandError {
            fail(error.diagnosis, in: context)
            return error.diagnosis.category.rawValue
        } catch {
            let code = exitCode(for: error).rawValue
            let text = fullMessage(for: error, columns: 100)
            if code == 0 {
                context.output.writeLine(text)
            } else {
                context.diagnostics.writeLine(UntrustedText.lines(text).joined(separator: "\n"))
            }
            if code != 0, ErrorDocument.isWanted(context.arguments) {
                context.output.writeLine(ErrorDocument.text(usage: message(for: error)))
            }
            return code
        }
    }

    /// What a signal leaves behind until a verb has its own.
    static func setExitReport(in context: CommandContext) {
        context.interrupts.exitReport.set { fail(FileState.unchanged.diagnosis, in: context) }
    }

    private static func fail(_ error: Diagnosis, in context: CommandContext) {
        context.explain(error)
        if ErrorDocument.isWanted(context.arguments) { context.output.writeLine(ErrorDocument.text(error)) }
    }
}
