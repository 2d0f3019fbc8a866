import ArgumentParser
import Assistant
import Bluetooth
import OpenAI
import Provisioning

/// `noafw chat`
struct ChatCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Hold a conversation between a unit and an assistant.",
        discussion: """
            Verifies the unit's versions against the files that you name, else against its last pass in the ledger, else against the \
            catalogue. Then it starts the unit's program, and relays until you press Ctrl-C: it takes questions from the \
            terminal and from the glasses, and shows the answers on both. Without a terminal, each line of standard input is a \
            question.

            The assistant is any OpenAI-compatible server. noafw reads its key from NOAFW_API_KEY, OPENAI_API_KEY or \
            ~/.config/noafw/config.json, never from an option. If there is neither a key nor a base URL, an offline echo answers.

            The ledger records the verification, and an update of the unit, with the verb chat. It does not record the conversation, \
            which says nothing about the unit; --transcript keeps it.

            Answers that do not reach the unit, also when noafw is killed, are kept in the state folder for a day, and offered \
            again by the next chat. After a crash, of several units in reach, noafw chat takes the one that it had. --no-keep keeps nothing.

            Examples:
              noafw chat
              noafw chat --nearest --translate --transcript talk.txt
              noafw chat --bundle release.zip --trust release.pub.pem
              noafw chat --base-url http://localhost:8080 --model llama
              noafw chat --virtual monocle --query "hello"
              noafw chat --virtual monocle --script smoke.txt --json
              noafw chat --check

            Exit codes: 0 the conversation ended as it should; 1 there was no answer or no match, or the unit has other versions; \
            for the others see noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions

    @OptionGroup(title: "Files") var inputs: InputOptions

    @Flag(help: "Start without verifying the unit's versions.")
    var noVerify = false

    @OptionGroup(title: "Assistant") var assistant: AssistantOptions

    @Option(help: ArgumentHelp("Ask one question; the exit code says whether the answer reached the unit.", valueName: "text"))
    var query: String?

    @Option(help: ArgumentHelp("Run the steps in this file (docs/chat.md).", valueName: "file"), completion: .file())
    var script: InputName?

    @Flag(name: .customLong("no-keep"), help: "Keep no answer that does not reach the unit, and offer none again.")
    var noKeep = false

    @Flag(help: "Check the assistant's key, model and speech recognition, without a unit; then end.")
    var check = false

    @OptionGroup(title: "Report") var report: ChatReportOptions
    @OptionGroup(title: "Record") var server: LedgerServerOptions
    @OptionGroup(title: "Record") var record: RecordOptions

    func validate() throws {
        if query != nil, script != nil { throw ValidationError("Give either --query or --script.") }
        if check, query != nil || script != nil || report.transcript != nil || report.saveMedia != nil || !inputs.arguments.isEmpty
            || noKeep || unit.virtual != nil || unit.isGiven || unit.adapter != nil
        {
            throw ValidationError("--check uses no unit: leave out what a conversation needs.")
        }
        if let query {
            guard SessionCommand.isQuestion(query) else { throw ValidationError("--query contains no question.") }
            guard query.utf8.count <= LineEditor.limit else {
                throw ValidationError("--query is longer than \(LineEditor.limit) bytes.")
            }
        }
    }

    func run(in context: CommandContext) async -> Int32 {
        guard check else { return await ChatRunner(command: self, context: context).run() }
        return await ChatCheck(context: context, mode: assistant.mode, isJSON: report.json, limit: report.timeout).run {
            try assistant.choice(context.environment)
        }
    }
}

/// The responder. Never holds a key.
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

    /// The server when something names one or has a key for it, otherwise the echo.
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
        try TimeLimit.check(timeout)
    }
}
