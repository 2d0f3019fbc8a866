import Assistant
import Bluetooth

/// Leads a conversation by lines from another program, one question after the other, until they end.
struct LinesLead: Sendable {
    let context: CommandContext

    private static let lineLimit = 64 << 10

    func lead(_ commands: Inbox<ChatCommand>, _ inputs: Inbox<ChatInput>) async throws -> ChatVerdict {
        let typed = try context.input.open(false) { inputs.deliver($0.map { ChatInput.typed($0) } ?? .inputEnded) }
        defer { typed.close() }
        typed.more()
        var pending: [UInt8] = []
        var hasEnded = false
        var waitsForAnswer = false
        var verdict = ChatVerdict()
        while true {
            while !waitsForAnswer, let line = Self.takeLine(&pending, hasEnded: hasEnded) {
                guard line.contains(where: { !$0.isWhitespace }) else { continue }
                commands.deliver(.ask(line))
                waitsForAnswer = true
            }
            if hasEnded, !waitsForAnswer { return verdict }
            switch try await inputs.next(before: context.clock.deadline(in: ChatTime.forever), on: context.clock) {
            case .typed(let bytes):
                pending += bytes
                if pending.count > Self.lineLimit { pending.removeLast(pending.count - Self.lineLimit) }
                typed.more()
            case .inputEnded: hasEnded = true
            case .event(.failed(_, let error), _):
                verdict.failure = ChatFailure.noAnswer(error)
                waitsForAnswer = false
            case .event(.cancelled, _), .event(.delivered, _): waitsForAnswer = false
            case .event, .graphics, nil: break
            }
        }
    }

    private static func takeLine(_ pending: inout [UInt8], hasEnded: Bool) -> String? {
        guard let end = pending.firstIndex(of: 0x0A) ?? (hasEnded && !pending.isEmpty ? pending.endIndex : nil) else { return nil }
        defer { pending.removeSubrange(..<min(end + 1, pending.count)) }
        return String(decoding: pending[..<end], as: UTF8.self)
    }
}
