import Assistant
import Bluetooth
import Provisioning
import REPL
import Support

/// One event of a conversation as JSON; the first one names the schema.
struct ChatDocument: Encodable, Sendable {
    struct Picture: Encodable, Sendable { var width, height: Int }

    /// Characters of one text: bounds an event whatever a server sends.
    private static let textLimit = 32 << 10

    var event: String
    @Omitted var id: Int? = nil
    @Omitted var schema: String? = nil
    @Omitted var unit: String?? = nil
    @Omitted var family: String?? = nil
    @Omitted var assistant: String? = nil
    @Omitted var mode: String? = nil
    @Omitted var attempt: Int? = nil
    @Omitted var battery: Int?? = nil
    @Omitted var firmware: String?? = nil
    @Omitted var scripts: String?? = nil
    @Omitted var seconds: Double? = nil
    @Omitted var photo: Bool? = nil
    @Omitted var bytes: Int? = nil
    @Omitted var type: String? = nil
    @Omitted var file: String?? = nil
    @Omitted var message: String? = nil
    @Omitted var text: String? = nil
    @Omitted var traceback: String? = nil
    @Omitted var cut: String?? = nil
    @Omitted var picture: Picture? = nil
    @Omitted var notice: String? = nil
    @Omitted var count: Int? = nil
    @Omitted var lines: Int? = nil
    @Omitted var similar: Int? = nil
    @Omitted var unknown: Int? = nil
    @Omitted var omitted: Int? = nil
    @Omitted var receipt: Bool? = nil
    @Omitted var reason: String? = nil
    @Omitted var verdict: String? = nil
    @Omitted var display: [String]?? = nil
    @Omitted var error: Diagnosis?? = nil
    @Omitted var soaks: [SoakResult]? = nil

    static func begin(unit: ReportTarget, assistant: String, mode: AssistantMode) -> ChatDocument {
        ChatDocument(
            event: "begin", schema: "noafw.chat/1", unit: .some(unit.id), family: .some(unit.family?.rawValue), assistant: assistant,
            mode: mode.rawValue)
    }

    static func end(_ verdict: ChatVerdict?, error: Diagnosis?) -> ChatDocument {
        let soaks = verdict?.soaks ?? []
        return ChatDocument(
            event: "end", verdict: error == nil ? "pass" : "fail", display: .some(verdict?.display.map { $0.map(bounded) }),
            error: .some(error),
            soaks: soaks.isEmpty ? nil : soaks)
    }

    private static func bounded(_ text: String) -> String { String(text.prefix(textLimit)) }
}

extension ChatDocument {
    init(_ event: ChatEvent, photoFile: String? = nil) {
        self = switch event {
        case .connecting(let attempt): Self(event: "connecting", attempt: attempt)
        case .starting: Self(event: "starting")
        case .connected(let status):
            Self(
                event: "connected", battery: .some(status.batteryPercent), firmware: .some(status.firmware.map(Self.bounded)),
                scripts: .some(status.scripts.map(Self.bounded)))
        case .ready: Self(event: "ready")
        case .silent: Self(event: "silent")
        case .lost(let reason): Self(event: "lost", reason: Self.bounded(reason))
        case .reconnecting(let delay): Self(event: "reconnecting", seconds: delay.inSeconds)
        case .listening: Self(event: "listening")
        case .recordingDropped(let reason): Self(event: "recordingDropped", reason: reason.rawValue)
        case .photo(let photo): Self(event: "photo", bytes: photo.bytes.count, type: photo.kind.mediaType, file: .some(photoFile))
        case .version(let version): Self(event: "version", text: Self.bounded(version))
        case .pong(let id): Self(event: "pong", text: Self.bounded(id.description))
        case .notice(let notice): Self(event: "notice", message: Self.bounded(notice.message))
        case .noticesLeftOut(let count): Self(event: "noticesLeftOut", count: count)
        case .console(let line): Self(event: "console", text: Self.bounded(line))
        case .consoleLeftOut(let count): Self(event: "consoleLeftOut", lines: count)
        case .raised(let exception):
            Self(event: "raised", text: Self.bounded(exception.lastLine), traceback: Self.bounded(exception.traceback))
        case .programEnded: Self(event: "programEnded")
        case .historyCleared(let reason): Self(event: "cleared", reason: reason.rawValue)
        case .mode(let mode): Self(event: "mode", mode: mode.rawValue)
        case .undelivered(let count): Self(event: "undelivered", count: count)
        case .asked(let id, .typed(let question)): Self(event: "asked", id: id.number, text: Self.bounded(question))
        case .asked(let id, .spoken(let seconds, let photo, let cut)):
            Self(event: "asked", id: id.number, seconds: seconds, photo: photo, cut: .some(cut?.rawValue))
        case .asked(let id, .picture(let height)):
            Self(event: "asked", id: id.number, picture: Picture(width: DisplayPicture.width, height: height))
        case .asked(let id, .notice(let notice)): Self(event: "asked", id: id.number, notice: Self.bounded(notice))
        case .heard(let id, let said): Self(event: "heard", id: id.number, text: Self.bounded(said))
        case .thinking(let id): Self(event: "thinking", id: id.number)
        case .retrying(let id, let delay, let error):
            Self(event: "retrying", id: id.number, seconds: delay.inSeconds, error: .some(error.diagnosis))
        case .answerPiece(let id, let piece): Self(event: "piece", id: id.number, text: Self.bounded(piece))
        case .answered(let id, let answer, let cut):
            Self(event: "answered", id: id.number, text: Self.bounded(answer), cut: .some(cut.map(ChatFormatter.describe)))
        case .folded(let id, let folding):
            Self(event: "folded", id: id.number, similar: folding.similar, unknown: folding.unknown, omitted: folding.omitted)
        case .sent(let id, let awaitsReceipt): Self(event: "sent", id: id.number, receipt: awaitsReceipt)
        case .delivered(let id): Self(event: "delivered", id: id.number)
        case .repeated(let id, let loss): Self(event: "repeated", id: id.number, reason: Self.bounded(loss.message))
        case .undeliverable(let id, let loss): Self(event: "undeliverable", id: id.number, reason: Self.bounded(loss.message))
        case .failed(let id, let error): Self(event: "failed", id: id.number, error: error.diagnosis)
        case .cancelled(let id, let reason): Self(event: "cancelled", id: id.number, reason: reason.rawValue)
        }
    }
}
