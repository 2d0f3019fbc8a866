import Assistant
import REPL
import Support

enum ChatFailure {
    /// Why there is no answer. In every case the exit code says "no answer".
    static func noAnswer(_ error: any DiagnosableError) -> Diagnosis {
        var diagnosis = error.diagnosis
        diagnosis.category = .unitFailed
        return diagnosis
    }

    static func cancelled(_ reason: ChatEvent.Cancellation) -> Diagnosis {
        Diagnosis(
            "NOA-0009", .unitFailed, nil, "no answer: \(ChatFormatter.describe(reason))",
            cause: "the question was cancelled before it was answered", remedy: "ask again")
    }

    /// Fails a conversation whatever was asked.
    static func ofUnit(_ event: ChatEvent) -> Diagnosis? {
        switch event {
        case .undeliverable(_, let loss): undeliverable(loss)
        case .cancelled(_, .noPictures): noPictures
        default: ofProgram(event)
        }
    }

    static let noPictures = Diagnosis(
        "NOA-0034", .unitFailed, nil, "the unit's display cannot show pictures",
        cause: "its family has no messages for them", remedy: "leave out the step 'picture', or choose a Frame")

    /// The program's end.
    static func ofProgram(_ event: ChatEvent) -> Diagnosis? {
        switch event {
        case .raised(let exception):
            Diagnosis(
                "NOA-0020", .unitFailed, .unit, "the unit's program raised \(exception.lastLine)",
                cause: "the scripts have a fault, or the unit is short of memory",
                remedy: "run the same command with -v to see the traceback; \(CommandError.flashSameScripts)")
        case .programEnded:
            Diagnosis(
                "NOA-0021", .unitFailed, .unit, "the unit's program has ended",
                cause: "main.py is missing, has finished, or was interrupted", remedy: CommandError.flashSameScripts)
        default: nil
        }
    }

    static func undeliverable(_ loss: DeliveryLoss) -> Diagnosis {
        let (attempts, cause) = switch loss {
        case .noReceipt, .accepted: (" in two attempts", "the unit's program is too busy to accept the text, or it has stopped")
        case .linksLost: ("", "the unit refuses the text, restarts, or is almost out of range")
        }
        return Diagnosis(
            "NOA-0019", .unitFailed, .unit, "the answer did not arrive\(attempts): \(loss.message)",
            cause: cause,
            remedy: "run the same command again; if it fails again, run noafw chat --json to see what the program prints")
    }

    static func notSeen(line: Int, pattern: String, seconds: Double, seen: [String]) -> Diagnosis {
        let list = seen.isEmpty ? "nothing" : seen.map { "\"\($0)\"" }.joined(separator: ", ")
        return Diagnosis(
            "NOA-0010", .unitFailed, .unit,
            "line \(line): nothing matched \(pattern) within \(Format.plain(seconds)) s", cause: "seen: \(list)",
            remedy: "run the same command with --json to see every event")
    }
}
