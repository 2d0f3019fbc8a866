import ArgumentParser
import Assistant
import OpenAI

/// Who answers, as the command line says it. A key is never among it.
struct AssistantOptions: ParsableArguments, FileNaming, Sendable {
    enum Kind: String, ExpressibleByArgument, CaseIterable, Sendable { case echo, openai }

    @Option(help: "echo repeats what it heard, offline; openai is any server with OpenAI's protocol.")
    var assistant: Kind?

    @Option(help: ArgumentHelp("The server's URL, such as http://localhost:8080.", valueName: "url"))
    var baseUrl: String?

    @Option(help: ArgumentHelp("The chat model.", valueName: "name"))
    var model: String?

    @Flag(help: "Start in translator mode, which translates speech into English.")
    var translate = false

    func validate() throws {
        if assistant == .echo, baseUrl != nil || model != nil {
            throw ValidationError("--base-url and --model need a server: leave out --assistant echo.")
        }
    }

    var mode: AssistantMode { translate ? .translator : .assistant }

    func uses(in context: CommandContext) -> [FileUse] {
        guard case .server(let settings)? = try? choice(context.environment), let file = settings.certificateFile else { return [] }
        return [.read(context.path(file))]
    }

    /// The server, when something names one or has a key for it; else the echo.
    /// - Throws: ``AssistantError``, ``CommandError/noKey``.
    func choice(_ environment: [String: String]) throws -> AssistantChoice {
        if assistant == .echo { return .echo }
        let settings = try AssistantSettings.load(
            environment: environment, overrides: .init(baseURL: baseUrl, chatModel: model))
        if settings.key == nil, settings.baseURL == .openAI {
            guard assistant == nil, baseUrl == nil else { throw CommandError.noKey }
            return .echo
        }
        return .server(settings)
    }
}

/// How a conversation is reported.
struct ChatReportOptions: ParsableArguments, Sendable {
    @Flag(help: "Print one JSON event a line on standard output.")
    var json = false

    @Option(help: ArgumentHelp("Append the conversation to this file.", valueName: "file"), completion: .file())
    var transcript: OutputName?

    @Option(help: ArgumentHelp("Save pictures from the glasses in this folder.", valueName: "folder"), completion: .directory)
    var saveMedia: OutputName?

    @Option(help: ArgumentHelp("Stop after this many seconds, including the verification.", valueName: "seconds"))
    var timeout: Double?

    @Flag(name: [.short, .long], help: "Print details of the verification, and what the unit's program prints.")
    var verbose = false

    func validate() throws {
        if let timeout, !(timeout.isFinite && timeout > 0 && timeout <= 1_000_000) {
            throw ValidationError("--timeout must be a number of seconds above 0 and at most 1000000.")
        }
    }
}
