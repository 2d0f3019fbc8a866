import Assistant
import Bluetooth
import REPL
import Support

/// Leads a conversation of one question.
struct QuestionLead: Sendable {
    let text: String
    let bench: ChatBench

    /// An error is shown on the unit, too.
    private static let errorPatience = Duration.seconds(10)

    func lead(_ commands: Inbox<ChatCommand>, _ inputs: Inbox<ChatInput>) async throws -> ChatVerdict {
        commands.deliver(.ask(text))
        var question = TypedQuestion()
        var verdict = ChatVerdict()
        var answer = ""
        var errorShownBy: SessionClock.Instant?
        var absence = UnitAbsence()
        while true {
            let deadline = [errorShownBy, absence.deadline].compactMap { $0 }.min() ?? bench.clock.deadline(in: ChatTime.forever)
            guard let input = try await inputs.next(before: deadline, on: bench.clock) else {
                if verdict.failure == nil { throw absence.error }
                break
            }
            guard case .event(let event, _) = input else { continue }
            absence.take(event, on: bench.clock)
            if case .answered(_, let text, _) = event { answer = text }
            if let failure = ChatFailure.ofProgram(event) {
                verdict.failure = verdict.failure ?? failure
                break
            }
            guard let outcome = question.take(event) else { continue }
            if let failure = outcome.failure {
                verdict.failure = verdict.failure ?? failure
                errorShownBy = bench.clock.deadline(in: Self.errorPatience)
            }
            if outcome.isOver { break }
        }
        verdict.display = try await bench.settledDisplay(after: answer)
        while case .event(let event, _)? = inputs.poll() { verdict.failure = verdict.failure ?? ChatFailure.ofProgram(event) }
        return verdict
    }
}

enum ChatTime {
    /// Longer than any conversation.
    static let forever = Duration.seconds(100_000_000)
}

/// A conversation that did not go as it should.
enum ChatFailure {
    /// Why there is no answer; whatever it is, the exit code says "no answer".
    static func noAnswer(_ error: any DiagnosableError) -> Diagnosis {
        var diagnosis = error.diagnosis
        diagnosis.category = .unitFailed
        return diagnosis
    }

    static func cancelled(_ reason: ChatEvent.Cancellation) -> Diagnosis {
        Diagnosis(
            code: "NOA-0009", category: .unitFailed, fault: nil, message: "no answer: \(ChatWords.describe(reason))",
            cause: "the question was given up before it was answered", remedy: "ask again")
    }

    /// What fails a conversation whatever was asked.
    static func ofUnit(_ event: ChatEvent) -> Diagnosis? {
        switch event {
        case .undeliverable(_, let loss): undeliverable(loss)
        default: ofProgram(event)
        }
    }

    /// What the program itself said, as its last words.
    static func ofProgram(_ event: ChatEvent) -> Diagnosis? {
        switch event {
        case .raised(let exception):
            Diagnosis(
                code: "NOA-0020", category: .unitFailed, fault: .unit, message: "the unit's program raised \(exception.lastLine)",
                cause: "a fault in its scripts, or too little memory",
                remedy: "run the same command again with -v to see its traceback, or noafw flash --only scripts --force")
        case .programEnded:
            Diagnosis(
                code: "NOA-0021", category: .unitFailed, fault: .unit, message: "the unit's program has ended",
                cause: "its main.py is missing, came to its end, or was interrupted", remedy: "run: noafw verify --deep, then noafw flash --only scripts")
        default: nil
        }
    }

    static func undeliverable(_ loss: DeliveryLoss) -> Diagnosis {
        let (attempts, cause) = switch loss {
        case .noReceipt, .accepted: (", sent twice", "the unit's program is too busy to take what it is sent, or it has stopped")
        case .linksLost: ("", "the unit refuses what it is sent, restarts, or is at the edge of its reach")
        }
        return Diagnosis(
            code: "NOA-0019", category: .unitFailed, fault: .unit, message: "the answer did not arrive\(attempts): \(loss.message)",
            cause: cause,
            remedy: "run the same command again; if it persists, look with noafw chat --json at what the program prints")
    }

    static func notSeen(line: Int, pattern: String, seconds: Double, seen: [String]) -> Diagnosis {
        let list = seen.isEmpty ? "nothing" : seen.map { "\"\($0)\"" }.joined(separator: ", ")
        return Diagnosis(
            code: "NOA-0010", category: .unitFailed, fault: .unit,
            message: "line \(line): nothing matched \(pattern) within \(Measure.plain(seconds)) s", cause: "seen: \(list)",
            remedy: "run the same command with --json to see every event")
    }
}

extension ChatBench {
    private static let displayRest = Duration.milliseconds(1500)
    private static let displayPatience = Duration.seconds(60)
    private static let look = Duration.milliseconds(100)
    private static let glance = Duration.seconds(2)
    /// The pace of the scripts.
    private static let word = Duration.milliseconds(150)

    /// What a virtual unit shows once it has shown all of it: the scripts bring an answer word by word. A real one is left
    /// the time for that and for a glance: with the link its answer goes from the display.
    /// - Parameter answer: what was sent last.
    func settledDisplay(after answer: String) async throws -> [String]? {
        guard let senses else {
            let words = answer.split(whereSeparator: \.isWhitespace).count
            try await clock.sleep(until: clock.deadline(in: min(Self.glance + Self.word * words, Self.displayPatience)))
            return nil
        }
        var lines = senses.display()
        let end = clock.deadline(in: Self.displayPatience)
        var rest = clock.deadline(in: Self.displayRest)
        while clock.now < rest, clock.now < end {
            try await clock.sleep(until: clock.deadline(in: Self.look))
            let now = senses.display()
            if now != lines { (lines, rest) = (now, clock.deadline(in: Self.displayRest)) }
        }
        return lines
    }
}
