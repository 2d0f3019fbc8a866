import Assistant
import Bluetooth
import Support

/// What somebody who leads a conversation gets to know.
enum ChatInput: Sendable {
    /// - photoFile: where the picture is, if this was one and it was saved.
    case event(ChatEvent, photoFile: String?)
    case typed([UInt8])
    case inputEnded
    /// What shows a picture on this terminal; `nil` when the program that would make it is not there.
    case graphics(String?)
}

/// Holds a conversation and has somebody lead it: a person at a terminal, lines from a pipe, a script, one question.
struct ChatDrive: Sendable {
    typealias Lead = @Sendable (Inbox<ChatCommand>, Inbox<ChatInput>) async throws -> ChatVerdict

    /// The session ended by itself, which it does only when told to.
    struct Ended: Error {}

    let bench: ChatBench
    let recorder: ChatRecorder

    /// - Parameter show: gets each event at once, before the one who leads.
    func run(show: @escaping @Sendable (ChatEvent, String?) -> Void, lead: @escaping Lead) async throws -> ChatVerdict {
        let commands = Inbox<ChatCommand>()
        let inputs = Inbox<ChatInput>(capacity: 1 << 16)
        return try await withThrowingTaskGroup(of: ChatVerdict?.self) { group in
            group.addTask { [bench, recorder] in
                try await bench.converse(commands) { event in
                    let file = recorder.take(event)
                    show(event, file)
                    inputs.deliver(.event(event, photoFile: file))
                }
                inputs.finish(throwing: Ended())
                return nil
            }
            group.addTask { try await lead(commands, inputs) }
            defer { group.cancelAll() }
            while let verdict = try await group.next() {
                if let verdict { return verdict }
            }
            throw Ended()
        }
    }
}

/// The conversation as lines: answers on standard output, everything else on standard error.
struct PlainPrinter: Sendable {
    let output: TextSink
    let diagnostics: TextSink
    let style: TextStyle
    /// What the unit's program prints, too.
    let isVerbose: Bool

    func show(_ event: ChatEvent, photoFile: String?) {
        guard let saying = ChatWords.say(event, photoFile: photoFile) else { return }
        switch (event, saying.kind) {
        case (.asked, .question): break
        case (_, .question): for line in saying.lines { output.writeLine("you: \(line)") }
        case (_, .answer): for line in saying.lines { output.writeLine(line) }
        case (_, .state): for line in saying.lines { diagnostics.writeLine(line) }
        case (_, .console): if isVerbose { for line in saying.lines { diagnostics.writeLine("unit: \(line)") } }
        case (_, .trouble): for line in saying.lines { diagnostics.writeLine(style.paint("note:", .careful) + " " + line) }
        }
    }

    func show(display: [String]) {
        output.writeLine("on the unit's display:")
        for line in display { output.writeLine("  \(UntrustedText.escape(line))") }
    }
}
