import Assistant
import Bluetooth
import REPL
import Support

/// A reader's view of one event.
struct ChatLine: Equatable {
    enum Kind: Hashable, Sendable {
        /// The conversation itself.
        case question, answer
        /// The link and the unit.
        case state
        case problem
        /// The program's output.
        case console
    }

    var kind: Kind
    /// Escaped for a terminal.
    var texts: [String]
}

/// Describes a conversation's events in plain words.
enum ChatFormatter {
    /// - Returns: `nil` for events that readers of lines do not need.
    static func line(for event: ChatEvent, photoFile: String? = nil) -> ChatLine? {
        switch event {
        case .connecting(let attempt): state(attempt == 1 ? "connecting" : "connecting, attempt \(attempt)")
        case .starting: state("starting the unit's program")
        case .connected(let status): state(connected(status))
        case .ready: state("the unit is ready")
        case .silent: problem("the unit's program has not reported ready; noafw sends nothing until it does")
        case .lost(let reason): problem("\(UntrustedText.escape(reason)); noafw keeps what is not delivered")
        case .reconnecting(let delay): state("reconnecting in \(Format.plain(delay.inSeconds)) s")
        case .listening: state("the unit listens")
        case .recordingDropped(.givenUp): state("the wearer cancelled the recording")
        case .recordingDropped(.empty): state("the recording was empty")
        case .photo(let photo):
            state("a picture of \(photo.bytes.count) bytes" + (photoFile.map { ", saved as \(UntrustedText.escape($0))" } ?? ""))
        case .version, .pong: nil
        case .notice(let notice): problem(UntrustedText.escape(notice.message))
        case .noticesLeftOut(let count): problem("\(count) more \(count == 1 ? "message" : "messages") of the unit that cannot be used")
        case .console(let line): ChatLine(kind: .console, texts: UntrustedText.lines(line))
        case .consoleLeftOut(let count): ChatLine(kind: .console, texts: ["(\(count) more \(count == 1 ? "line" : "lines"))"])
        case .raised(let exception): problem("the unit's program raised \(UntrustedText.escape(exception.lastLine))")
        case .programEnded: problem("the unit's program has ended")
        case .asked(_, let question): asked(question)
        case .heard(_, let text): ChatLine(kind: .question, texts: UntrustedText.lines(text.isEmpty ? "(a picture)" : text))
        case .thinking: state("the assistant thinks")
        case .answerPiece: nil
        case .retrying(_, let delay, let error):
            problem("\(UntrustedText.escape(error.diagnosis.message)); retrying in \(Format.plain(delay.inSeconds)) s")
        case .answered(_, let text, let cut):
            ChatLine(kind: .answer, texts: UntrustedText.lines(text) + (cut.map { ["(\(describe($0)))"] } ?? []))
        case .folded(_, let folding): folding.omitted > 0 ? problem(describe(folding)) : state(describe(folding))
        case .sent(_, awaitsReceipt: true): nil
        case .sent(_, awaitsReceipt: false): state("sent to the unit, which sends no receipts")
        case .delivered: state("delivered to the unit")
        case .repeated(_, let loss): problem("\(UntrustedText.escape(loss.message)); sending the whole text again")
        case .undeliverable(_, let loss): problem("not delivered: \(UntrustedText.escape(loss.message))")
        case .failed(_, let error): problem(failure(error))
        case .cancelled(_, let reason): state(describe(reason))
        case .historyCleared(let reason): state(describe(reason))
        case .mode(let mode): state("mode: \(mode.rawValue)")
        case .undelivered(let count): state("\(count) \(count == 1 ? "answer waits" : "answers wait") for the unit")
        }
    }

    private static func state(_ line: String) -> ChatLine { ChatLine(kind: .state, texts: [line]) }
    private static func problem(_ line: String) -> ChatLine { ChatLine(kind: .problem, texts: [line]) }

    private static func connected(_ status: UnitStatus) -> String {
        let details = [
            status.firmware.map { "firmware \(UntrustedText.escape($0))" },
            status.batteryPercent.map { "battery \($0) %" },
        ].compactMap { $0 }
        return (["connected"] + details).joined(separator: ", ")
    }

    private static func describe(_ folding: TextFolding) -> String {
        let parts = [
            folding.similar > 0 ? "\(count(folding.similar)) replaced by similar ones" : nil,
            folding.unknown > 0 ? "\(count(folding.unknown)) shown as ?" : nil,
            folding.omitted > 0 ? "\(count(folding.omitted)) left out because the unit's program cannot hold more" : nil,
        ].compactMap { $0 }
        return "on the display: \(parts.joined(separator: ", "))"
    }

    private static func count(_ characters: Int) -> String { "\(characters) \(characters == 1 ? "character" : "characters")" }

    private static func asked(_ question: ChatEvent.Question) -> ChatLine {
        switch question {
        case .typed(let text): ChatLine(kind: .question, texts: UntrustedText.lines(text))
        case .picture(let height): state("a picture of \(DisplayPicture.width) × \(height) pixels for the display")
        case .notice(let text): state("for the display: \(UntrustedText.escape(text))")
        case .spoken(let seconds, let photo, let cut):
            state("\(Format.seconds(seconds)) s of sound\(photo ? " and a picture" : "")\(cut.map { ", \(describe($0))" } ?? "")")
        }
    }

    private static func describe(_ cut: Utterance.Cut) -> String {
        switch cut {
        case .tooLong: "cut because it was too long"
        case .linkLost: "cut because the link was lost"
        case .stalled: "cut because the unit stopped sending"
        case .restarted: "cut because the unit restarted"
        }
    }

    static func failure(_ error: any DiagnosableError) -> String {
        let diagnosis = error.diagnosis
        return "no answer [\(diagnosis.code)]: \(UntrustedText.escape(diagnosis.message)); \(UntrustedText.escape(diagnosis.remedy))"
    }

    static func describe(_ cut: AnswerSummary.CutShort) -> String {
        switch cut {
        case .byLength: "the answer was cut at the length limit"
        case .byError(let error): "the answer was cut: \(UntrustedText.escape(error.diagnosis.message))"
        }
    }

    static func describe(_ reason: ChatEvent.Cancellation) -> String {
        switch reason {
        case .byUser: "cancelled"
        case .byWearer: "the wearer no longer waits; /retry asks again"
        case .superseded: "a newer recording replaced the question"
        case .nothingSaid: "nothing was said"
        case .queueFull: "too many questions are waiting; this one was dropped"
        case .noPictures: "this unit's display cannot show pictures"
        }
    }

    private static func describe(_ reason: ChatEvent.ClearReason) -> String {
        switch reason {
        case .tokenLimit: "the conversation reached its limit and was cleared"
        case .modeSwitch: "the conversation was cleared because the mode changed"
        case .byUser: "the conversation was cleared"
        }
    }
}
