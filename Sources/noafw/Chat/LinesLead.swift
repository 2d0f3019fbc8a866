import Assistant
import Bluetooth
import Support

/// Leads a conversation by lines from another program, one question after the other, until they end.
struct LinesLead: Sendable {
    let context: CommandContext
    let bench: ChatBench

    func lead(_ commands: Inbox<ChatCommand>, _ inputs: Inbox<ChatInput>) async throws -> ChatVerdict {
        let typed = try context.input.open(false) { inputs.deliver($0.map { ChatInput.typed($0) } ?? .inputEnded) }
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
            // Without a single question, too, the unit has to be there.
            if hasEnded, question == nil, isConnected { break }
            // One line ahead: what nobody has asked for stays with the other program.
            if !isReading, !hasEnded, !pending.contains(0x0A) {
                isReading = true
                typed.more()
            }
            // A person or a program that writes lines lives in real time, whatever time the unit lives in.
            let absent = question == nil ? nil : absence.deadline
            let clock = absent == nil ? context.clock : bench.clock
            switch try await inputs.next(before: absent ?? clock.deadline(in: ChatTime.forever), on: clock) {
            case .typed(let bytes):
                pending += bytes
                isReading = false
            case .inputEnded: hasEnded = true
            case .event(let event, _):
                absence.take(event, on: bench.clock)
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
            case .graphics: break
            case nil: throw absence.error
            }
        }
        // A fault of the program's comes behind what it has accepted.
        if !answer.isEmpty { _ = try await bench.settledDisplay(after: answer) }
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

/// A question that was typed, among all that a session tells.
struct TypedQuestion: Sendable {
    struct Outcome: Sendable {
        var isOver = false
        /// Why there is no whole answer.
        var failure: Diagnosis?
    }

    /// Known once the session has taken it.
    private var id: ExchangeID?

    /// - Returns: `nil` for what has nothing to do with this question.
    mutating func take(_ event: ChatEvent) -> Outcome? {
        switch event {
        case .asked(let id, .typed) where self.id == nil:
            self.id = id
            return Outcome()
        case .answered(id, _, .byError(let error)?): return Outcome(failure: ChatFailure.noAnswer(error))
        case .failed(id, let error): return Outcome(failure: ChatFailure.noAnswer(error))
        case .silent: return Outcome(isOver: true, failure: CommandError.programIsSilent.diagnosis)
        case .cancelled(id, let reason): return Outcome(isOver: true, failure: ChatFailure.cancelled(reason))
        case .sent(id, awaitsReceipt: false), .delivered(id): return Outcome(isOver: true)
        case .undeliverable(id, let loss): return Outcome(isOver: true, failure: ChatFailure.undeliverable(loss))
        default: return nil
        }
    }
}
