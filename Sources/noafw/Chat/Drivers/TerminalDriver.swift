import Assistant
import Bluetooth
import Foundation
import Support

/// Drives a conversation from a terminal.
struct TerminalDriver: Sendable {
    let context: CommandContext
    let status: ChatStatus
    let history: HistoryFile
    let isVerbose: Bool

    private static let tick = Duration.milliseconds(250)

    func drive(_ commands: Inbox<SessionCommand>, _ inputs: Inbox<ChatInput>) async throws -> ChatVerdict {
        let pictures = Inbox<Picture>()
        return try await beside({ try await draw(pictures, inputs) }, { try await converse(commands, inputs, pictures) })
    }

    private func converse(
        _ commands: Inbox<SessionCommand>, _ inputs: Inbox<ChatInput>, _ pictures: Inbox<Picture>
    ) async throws -> ChatVerdict {
        let sink = context.output
        var chat = TerminalChat(
            editor: LineEditor(history: history.load()), status: status, style: context.style(for: sink), columns: sink.columns(),
            isVerbose: isVerbose)
        let typed = try context.input.open(.keys) { inputs.deliver($0.map { ChatInput.typed($0) } ?? .inputEnded) }
        defer {
            _ = perform(chat.finish(), commands, inputs)
            typed.close()
        }
        var hasQuit = perform(chat.begin(), commands, inputs)
        typed.more()
        while !hasQuit {
            let input = try await inputs.next(before: context.clock.deadline(in: Self.tick), on: context.clock)
            switch input {
            case .typed(let bytes):
                hasQuit = perform(chat.receive(bytes, now: context.clock.now), commands, inputs)
                typed.more()
            case .inputEnded: hasQuit = true
            case .event(let event, let file):
                _ = perform(chat.receive(event, photoFile: file), commands, inputs)
                if case .photo(let photo) = event, let graphics = PhotoGraphics.detect(context.environment, sixel: chat.showsSixel) {
                    pictures.deliver(Picture(photo: photo, file: file, graphics: graphics))
                }
            case .graphics(let text?): _ = perform(chat.show(graphics: text), commands, inputs)
            case .refused(let message): _ = perform(chat.refuse(message), commands, inputs)
            case .graphics(nil): _ = perform(chat.missGraphics(), commands, inputs)
            case nil: _ = perform(chat.rest(), commands, inputs)
            }
            _ = perform(chat.fit(columns: sink.columns()), commands, inputs)
        }
        return ChatVerdict()
    }

    /// - Returns: whether the person wants to quit.
    private func perform(
        _ effects: [TerminalChat.Effect], _ commands: Inbox<SessionCommand>, _ inputs: Inbox<ChatInput>
    ) -> Bool {
        var text = ""
        var quits = false
        for effect in effects {
            switch effect {
            case .write(let more): text += more
            case .command(let command): commands.deliver(command)
            case .picture(let name):
                do {
                    commands.deliver(.show(try PictureInput.load(context.path(name))))
                } catch {
                    inputs.deliver(.refused(diagnose(error).message))
                }
            case .remember(let line): history.append(line)
            case .quit: quits = true
            }
        }
        if !text.isEmpty { context.output.write(text) }
        return quits
    }

    // MARK: - Pictures

    private struct Picture: Sendable {
        var photo: Photo
        var file: String?
        var graphics: PhotoGraphics
    }

    /// Runs beside the conversation: drawing takes a moment.
    private func draw(_ pictures: Inbox<Picture>, _ inputs: Inbox<ChatInput>) async throws {
        while let picture = try await pictures.next(before: context.clock.deadline(in: .forever), on: context.clock) {
            let drawing = await picture.graphics.drawing(of: picture.photo, file: picture.file, in: context)
            inputs.deliver(.graphics(drawing))
        }
    }
}
