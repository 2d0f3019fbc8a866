import Assistant
import Bluetooth
import Support

/// What the driver of a conversation gets to know.
enum ChatInput: Sendable {
    /// - photoFile: where the picture is, if this was one and it was saved.
    case event(ChatEvent, photoFile: String?)
    case typed([UInt8])
    case inputEnded
    /// What was typed cannot be done; says why.
    case refused(String)
    /// What shows a picture on this terminal; `nil` when the program that would make it is not there.
    case graphics(String?)
}

/// Holds a conversation and has one driver lead it: a person at a terminal, lines from a pipe, a script, one question.
struct ChatController: Sendable {
    typealias Driver = @Sendable (Inbox<SessionCommand>, Inbox<ChatInput>) async throws -> ChatVerdict

    /// The session ended by itself, which it does only when told to.
    struct Ended: Error {}

    let environment: ChatEnvironment
    let recorder: ChatRecorder

    /// - Parameter show: gets each event at once, before the driver.
    func run(show: @escaping @Sendable (ChatEvent, String?) -> Void, driver: @escaping Driver) async throws -> ChatVerdict {
        let commands = Inbox<SessionCommand>()
        let inputs = Inbox<ChatInput>(capacity: 1 << 16)
        return try await withThrowingTaskGroup(of: ChatVerdict?.self) { group in
            group.addTask { [environment, recorder] in
                try await environment.converse(commands) { event in
                    let file = recorder.take(event)
                    show(event, file)
                    inputs.deliver(.event(event, photoFile: file))
                }
                inputs.finish(throwing: Ended())
                return nil
            }
            group.addTask { try await driver(commands, inputs) }
            defer { group.cancelAll() }
            while let verdict = try await group.next() {
                if let verdict { return verdict }
            }
            throw Ended()
        }
    }
}
