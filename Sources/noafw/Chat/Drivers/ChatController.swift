import Assistant
import Bluetooth
import Support

/// Input for the driver of a conversation.
enum ChatInput: Sendable {
    /// - photoFile: the place of a saved picture.
    case event(ChatEvent, photoFile: String?)
    case typed([UInt8])
    case inputEnded
    /// Why a typed command is refused.
    case refused(String)
    /// The terminal's code for a picture; `nil` without the program that makes it.
    case graphics(String?)
}

/// Holds a conversation led by one driver: a person at a terminal, lines from a pipe, a script, one question.
struct ChatController: Sendable {
    typealias Driver = @Sendable (Inbox<SessionCommand>, Inbox<ChatInput>) async throws -> ChatVerdict

    /// The session ended by itself.
    struct Ended: Error {}

    let environment: ChatEnvironment
    let recorder: ChatRecorder
    var keeper: AnswerKeeper?

    /// - Parameter show: gets each event before the driver does.
    func run(show: @escaping @Sendable (ChatEvent, String?) -> Void, driver: @escaping Driver) async throws -> ChatVerdict {
        let commands = Inbox<SessionCommand>()
        let inputs = Inbox<ChatInput>(capacity: 1 << 16)
        for text in keeper?.begin() ?? [] { commands.deliver(.tell(text)) }
        defer { keeper?.end() }
        return try await beside({ [environment, recorder, keeper] in
            try await environment.converse(commands) { event in
                keeper?.take(event)
                let file = recorder.take(event)
                show(event, file)
                inputs.deliver(.event(event, photoFile: file))
            }
            inputs.finish(throwing: Ended())
        }, { try await driver(commands, inputs) })
    }
}

extension ChatEnvironment {
    private static let displayRest = Duration.milliseconds(1500)
    private static let displayTimeout = Duration.seconds(60)
    private static let look = Duration.milliseconds(100)
    private static let glance = Duration.seconds(2)
    /// The pace of the scripts.
    private static let word = Duration.milliseconds(150)

    /// Waits until a virtual unit shows everything: the scripts draw an answer word by word. A real unit gets the time for that and for a
    /// glance, since its display is cleared with the link.
    /// - Parameter answer: the last text sent.
    func settledDisplay(after answer: String) async throws -> [String]? {
        guard let sensors else {
            let words = answer.split(whereSeparator: \.isWhitespace).count
            try await clock.sleep(until: clock.deadline(in: min(Self.glance + Self.word * words, Self.displayTimeout)))
            return nil
        }
        var lines = sensors.display()
        let end = clock.deadline(in: Self.displayTimeout)
        var rest = clock.deadline(in: Self.displayRest)
        while clock.now < rest, clock.now < end {
            try await clock.sleep(until: clock.deadline(in: Self.look))
            let now = sensors.display()
            if now != lines { (lines, rest) = (now, clock.deadline(in: Self.displayRest)) }
        }
        return lines
    }
}
