import Assistant
import Bluetooth
import REPL
import Support

/// A conversation's events in plain words, harmless for a terminal.
enum ChatWords {
    struct Saying: Equatable {
        enum Kind: Hashable, Sendable {
            /// What was asked, and what was answered: the conversation itself.
            case question, answer
            /// What the link and the unit do.
            case state
            case trouble
            /// What the unit's program prints.
            case console
        }

        var kind: Kind
        var lines: [String]
    }

    /// - Returns: `nil` for what a reader of lines need not know.
    static func say(_ event: ChatEvent, photoFile: String? = nil) -> Saying? {
        switch event {
        case .connecting(let attempt): state(attempt == 1 ? "connecting" : "connecting, attempt \(attempt)")
        case .starting: state("starting the unit's program")
        case .connected(let status): state(connected(status))
        case .ready: state("the unit is ready")
        case .silent: trouble("the unit's program does not say that it is ready; nothing is sent until it does")
        case .lost(let reason): trouble("\(UntrustedText.escape(reason)); what is not delivered is kept")
        case .reconnecting(let delay): state("reconnecting in \(Measure.plain(delay.inSeconds)) s")
        case .listening: state("the unit listens")
        case .recordingDropped(.givenUp): state("the wearer gave the recording up")
        case .recordingDropped(.empty): state("the recording was empty")
        case .photo(let jpeg):
            state("a picture of \(jpeg.count) bytes" + (photoFile.map { ", saved as \(UntrustedText.escape($0))" } ?? ""))
        case .notice(let notice): trouble(UntrustedText.escape(notice.message))
        case .console(let line): Saying(kind: .console, lines: UntrustedText.lines(line))
        case .consoleLeftOut(let count): Saying(kind: .console, lines: ["(\(count) more \(count == 1 ? "line" : "lines"))"])
        case .raised(let exception): trouble("the unit's program raised \(UntrustedText.escape(exception.lastLine))")
        case .programEnded: trouble("the unit's program has ended")
        case .asked(_, let question): asked(question)
        case .heard(_, let text): Saying(kind: .question, lines: UntrustedText.lines(text.isEmpty ? "(a picture)" : text))
        case .thinking: state("the assistant thinks")
        case .answerPiece: nil
        case .retrying(_, let delay, let error):
            trouble("\(UntrustedText.escape(error.diagnosis.message)); asking again in \(Measure.plain(delay.inSeconds)) s")
        case .answered(_, let text, let cut):
            Saying(kind: .answer, lines: UntrustedText.lines(text) + (cut.map { ["(\(describe($0)))"] } ?? []))
        case .folded(_, let folding): folding.omitted > 0 ? trouble(describe(folding)) : state(describe(folding))
        case .sent(_, awaitsReceipt: true): nil
        case .sent(_, awaitsReceipt: false): state("sent to the unit, which gives no receipts")
        case .delivered: state("delivered to the unit")
        case .repeated(_, let loss): trouble("\(UntrustedText.escape(loss.message)); sending all of it again")
        case .undeliverable(_, let loss): trouble("not delivered: \(UntrustedText.escape(loss.message))")
        case .failed(_, let error): trouble(failure(error))
        case .cancelled(_, let reason): state(describe(reason))
        case .historyCleared(let reason): state(describe(reason))
        case .mode(let mode): state("mode: \(mode.rawValue)")
        case .undelivered(let count): state("\(count) \(count == 1 ? "answer waits" : "answers wait") for the unit")
        }
    }

    private static func state(_ line: String) -> Saying { Saying(kind: .state, lines: [line]) }
    private static func trouble(_ line: String) -> Saying { Saying(kind: .trouble, lines: [line]) }

    private static func connected(_ status: UnitStatus) -> String {
        let details = [
            status.firmware.map { "firmware \(UntrustedText.escape($0))" },
            status.batteryPercent.map { "battery \($0) %" },
        ].compactMap { $0 }
        return (["connected"] + details).joined(separator: ", ")
    }

    private static func describe(_ folding: TextFolding) -> String {
        let parts = [
            folding.similar > 0 ? "\(count(folding.similar)) shown by similar ones" : nil,
            folding.unknown > 0 ? "\(count(folding.unknown)) shown as ?" : nil,
            folding.omitted > 0 ? "\(count(folding.omitted)) left out, more than its program holds" : nil,
        ].compactMap { $0 }
        return "on the display: \(parts.joined(separator: ", "))"
    }

    private static func count(_ characters: Int) -> String { "\(characters) \(characters == 1 ? "character" : "characters")" }

    private static func asked(_ question: ChatEvent.Question) -> Saying {
        switch question {
        case .typed(let text): Saying(kind: .question, lines: UntrustedText.lines(text))
        case .spoken(let seconds, let photo, let cut):
            state("\(Measure.seconds(seconds)) s of sound\(photo ? " and a picture" : "")\(cut.map { ", \(describe($0))" } ?? "")")
        }
    }

    private static func describe(_ cut: Utterance.Cut) -> String {
        switch cut {
        case .tooLong: "cut where it grew too long"
        case .linkLost: "cut where the link was lost"
        case .stalled: "which then stopped without an end"
        case .restarted: "cut where the unit started anew"
        }
    }

    static func failure(_ error: any DiagnosableError) -> String {
        let diagnosis = error.diagnosis
        return "no answer [\(diagnosis.code)]: \(UntrustedText.escape(diagnosis.message)); \(UntrustedText.escape(diagnosis.remedy))"
    }

    static func describe(_ cut: AnswerSummary.CutShort) -> String {
        switch cut {
        case .byLength: "the answer was cut at its longest length"
        case .byError(let error): "the answer was cut: \(UntrustedText.escape(error.diagnosis.message))"
        }
    }

    static func describe(_ reason: ChatEvent.Cancellation) -> String {
        switch reason {
        case .byUser: "cancelled"
        case .byWearer: "the wearer does not wait any more; /retry asks again"
        case .superseded: "a newer recording took its place"
        case .nothingSaid: "nothing was said"
        case .queueFull: "too many questions wait: this one is dropped"
        }
    }

    private static func describe(_ reason: ChatEvent.ClearReason) -> String {
        switch reason {
        case .tokenLimit: "the conversation had reached its limit and was forgotten"
        case .modeSwitch: "the conversation was forgotten with the change of mode"
        case .byUser: "the conversation was forgotten"
        }
    }
}
