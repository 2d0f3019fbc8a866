import Assistant
import Bluetooth
import Support

/// Drives a conversation by lines from another program, one question after the other, until they end.
struct LinesDriver: Sendable {
    let context: CommandContext
    let environment: ChatEnvironment

    func drive(_ commands: Inbox<SessionCommand>, _ inputs: Inbox<ChatInput>) async throws -> ChatVerdict {
        let typed = try context.input.open(.lines) { inputs.deliver($0.map { ChatInput.typed($0) } ?? .inputEnded) }
        defer { typed.close() }
        var pending: [UInt8] = []
        var (isReading, hasEnded) = (false, false)
        var isConnected = false
        var question: TypedQuestion?
        var absence = UnitAbsence()
        var verdict = ChatVerdict()
        var answer = ""
        while true {
            while question == nil, let line = try takeLine(&pending, hasEnded: hasEnded) {
                guard line.contains(where: { !$0.isWhitespace }) else { continue }
                commands.deliver(.ask(line))
                question = TypedQuestion()
            }
            // Even without a question the unit must answer.
            if hasEnded, question == nil, isConnected { break }
            // Reads one line ahead; the other program keeps the rest.
            if !isReading, !hasEnded, !pending.contains(0x0A) {
                isReading = true
                typed.more()
            }
            // The other program lives in real time, whatever the unit's clock.
            let absent = question == nil ? nil : absence.deadline
            let clock = absent == nil ? context.clock : environment.clock
            switch try await inputs.next(before: absent ?? clock.deadline(in: .forever), on: clock) {
            case .typed(let bytes):
                pending += bytes
                isReading = false
            case .inputEnded: hasEnded = true
            case .event(let event, _):
                absence.take(event, on: environment.clock)
                switch event {
                case .connected: isConnected = true
                case .silent:
                    verdict.failure = verdict.failure ?? CommandError.programIsSilent.diagnosis
                    return verdict
                case .raised: verdict.failure = verdict.failure ?? ChatFailure.ofProgram(event)
                case .programEnded:
                    verdict.failure = verdict.failure ?? ChatFailure.ofProgram(event)
                    return verdict
                default: break
                }
                if case .answered(_, let text, _) = event { answer = text }
                guard let outcome = question?.take(event) else { continue }
                if let failure = outcome.failure { verdict.failure = verdict.failure ?? failure }
                if outcome.isOver { question = nil }
            case .graphics, .refused: break
            case nil: throw absence.error
            }
        }
        // A program's fault comes after the text that it has accepted.
        if !answer.isEmpty { _ = try await environment.settledDisplay(after: answer) }
        while let input = inputs.poll() {
            if case .event(let event, _) = input { verdict.failure = verdict.failure ?? ChatFailure.ofProgram(event) }
        }
        return verdict
    }

    /// - Throws: ``CommandError/questionTooLong``.
    private func takeLine(_ pending: inout [UInt8], hasEnded: Bool) throws(CommandError) -> String? {
        let end = pending.firstIndex(of: 0x0A) ?? (hasEnded && !pending.isEmpty ? pending.endIndex : nil)
        guard end ?? pending.count <= LineEditor.limit else { throw .questionTooLong }
        guard let end else { return nil }
        defer { pending.removeSubrange(..<min(end + 1, pending.count)) }
        return String(decoding: pending[..<end], as: UTF8.self)
    }
}
