import ArgumentParser
import Assistant
import Bluetooth
import Provisioning

/// `noafw chat`
struct ChatVerb: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Relay between a unit and an assistant: the proof that it lives.",
        discussion: """
            Proves the unit's versions, starts its program, and relays until Ctrl-C: typed questions from the terminal, \
            spoken ones from the glasses, answers to both. Without a terminal each line of standard input is a question.

            The assistant is any OpenAI-compatible server. Its key comes from NOAFW_API_KEY, OPENAI_API_KEY or \
            ~/.config/noafw/config.json, never from an option. Without a key or a base URL an echo answers, offline.

            Examples:
              noafw chat
              noafw chat --nearest --translate --transcript talk.txt
              noafw chat --base-url http://localhost:8080 --model llama
              noafw chat --virtual monocle --query "hello"
              noafw chat --virtual monocle --script smoke.txt --json

            Exit codes: 0 the conversation ended as it should, 1 no answer, no match, or a unit with other versions, \
            others as in noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions

    @Option(help: ArgumentHelp("The folder that holds Firmware, FPGA and Scripts.", valueName: "folder"), completion: .directory)
    var assets: String?

    @Flag(help: "Start without asking the unit for its versions.")
    var noVerify = false

    @OptionGroup(title: "Assistant") var assistant: AssistantOptions

    @Option(help: ArgumentHelp("Ask this one question; the exit code tells whether its answer is on the unit.", valueName: "text"))
    var query: String?

    @Option(help: ArgumentHelp("Do what this file says (docs/chat.md).", valueName: "file"), completion: .file())
    var script: String?

    @OptionGroup(title: "Report") var report: ChatReportOptions

    func validate() throws {
        if query != nil, script != nil { throw ValidationError("Give either --query or --script.") }
        if let query {
            guard ChatCommand.isQuestion(query) else { throw ValidationError("--query holds nothing that could be asked.") }
            guard query.utf8.count <= LineEditor.limit else {
                throw ValidationError("--query is longer than \(LineEditor.limit) bytes.")
            }
        }
    }

    func run(in context: CommandContext) async -> Int32 {
        await ChatCourse(command: self, context: context).run()
    }
}

/// Who answers, as the command line says it. A key is never among it.
struct AssistantOptions: ParsableArguments, Sendable {
    enum Kind: String, ExpressibleByArgument, CaseIterable, Sendable { case echo, openai }

    @Option(help: "echo answers offline with what it heard; openai is any server that speaks OpenAI's protocol.")
    var assistant: Kind?

    @Option(help: ArgumentHelp("The server, such as http://localhost:8080.", valueName: "url"))
    var baseUrl: String?

    @Option(help: ArgumentHelp("The chat model.", valueName: "name"))
    var model: String?

    @Flag(help: "Begin as a translator into English.")
    var translate = false

    func validate() throws {
        if assistant == .echo, baseUrl != nil || model != nil {
            throw ValidationError("--base-url and --model belong to a server: leave out --assistant echo.")
        }
    }

    var mode: AssistantMode { translate ? .translator : .assistant }

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

    @Option(help: ArgumentHelp("Add what is said to this file.", valueName: "file"), completion: .file())
    var transcript: String?

    @Option(help: ArgumentHelp("Save pictures from the glasses here.", valueName: "folder"), completion: .directory)
    var saveMedia: String?

    @Option(help: ArgumentHelp("Give up after so many seconds, the look at the versions included.", valueName: "seconds"))
    var timeout: Double?

    @Flag(name: [.short, .long], help: "Say more about the verification, and show what the unit's program prints.")
    var verbose = false

    func validate() throws {
        if let timeout, !(timeout.isFinite && timeout > 0 && timeout <= 1_000_000) {
            throw ValidationError("--timeout is a number of seconds above 0 and up to 1000000.")
        }
    }
}
