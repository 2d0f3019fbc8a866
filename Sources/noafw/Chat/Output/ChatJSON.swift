import Assistant
import Bluetooth
import Provisioning
import REPL
import Support

/// A conversation as JSON, one event a line; the first line names the schema, `noafw.chat/1`.
enum ChatJSON {
    /// Characters of one text: an event has a bounded length whatever a server sends.
    private static let textLimit = 32 << 10

    static func begin(unit: ReportTarget, assistant: String, mode: AssistantMode) -> JSONText {
        event("begin", [
            ("schema", .string("noafw.chat/1")), ("unit", .optional(unit.id)), ("family", .optional(unit.family?.rawValue)),
            ("assistant", .string(assistant)), ("mode", .string(mode.rawValue)),
        ])
    }

    static func end(_ verdict: ChatVerdict?, error: Diagnosis?) -> JSONText {
        let error = error ?? verdict?.failure
        return event("end", [
            ("verdict", .string(error == nil ? "pass" : "fail")),
            ("display", verdict?.display.map { JSONText.array($0.map(text)) } ?? .null),
            ("error", error.map(ReportText.document) ?? .null),
        ] + (verdict.map { $0.soaks.isEmpty ? [] : [("soaks", .array($0.soaks.map(\.document)))] } ?? []))
    }

    static func document(_ event: ChatEvent, photoFile: String? = nil) -> JSONText {
        switch event {
        case .connecting(let attempt): Self.event("connecting", [("attempt", .integer(attempt))])
        case .starting: Self.event("starting")
        case .connected(let status):
            Self.event("connected", [
                ("battery", status.batteryPercent.map { JSONText.integer($0) } ?? .null), ("firmware", optional(status.firmware)),
                ("scripts", optional(status.scripts)),
            ])
        case .ready: Self.event("ready")
        case .silent: Self.event("silent")
        case .lost(let reason): Self.event("lost", [("reason", text(reason))])
        case .reconnecting(let delay): Self.event("reconnecting", [("seconds", .number(delay.inSeconds))])
        case .listening: Self.event("listening")
        case .recordingDropped(let reason): Self.event("recordingDropped", [("reason", .string(reason.rawValue))])
        case .photo(let photo):
            Self.event("photo", [
                ("bytes", .integer(photo.bytes.count)), ("type", .string(photo.kind.mediaType)), ("file", .optional(photoFile)),
            ])
        case .version(let version): Self.event("version", [("text", text(version))])
        case .pong(let id): Self.event("pong", [("text", text(id.description))])
        case .notice(let notice): Self.event("notice", [("message", text(notice.message))])
        case .noticesLeftOut(let count): Self.event("noticesLeftOut", [("count", .integer(count))])
        case .console(let line): Self.event("console", [("text", text(line))])
        case .consoleLeftOut(let count): Self.event("consoleLeftOut", [("lines", .integer(count))])
        case .raised(let exception):
            Self.event("raised", [("text", text(exception.lastLine)), ("traceback", text(exception.traceback))])
        case .programEnded: Self.event("programEnded")
        case .historyCleared(let reason): Self.event("cleared", [("reason", .string(reason.rawValue))])
        case .mode(let mode): Self.event("mode", [("mode", .string(mode.rawValue))])
        case .undelivered(let count): Self.event("undelivered", [("count", .integer(count))])
        default: exchange(event)
        }
    }

    private static func exchange(_ event: ChatEvent) -> JSONText {
        switch event {
        case .asked(let id, .typed(let question)): Self.event("asked", id: id, [("text", text(question))])
        case .asked(let id, .spoken(let seconds, let photo, let cut)):
            Self.event("asked", id: id, [("seconds", .number(seconds)), ("photo", .bool(photo)), ("cut", .optional(cut?.rawValue))])
        case .asked(let id, .picture(let height)):
            Self.event("asked", id: id, [("picture", .object([("width", .integer(DisplayPicture.width)), ("height", .integer(height))]))])
        case .asked(let id, .notice(let notice)): Self.event("asked", id: id, [("notice", text(notice))])
        case .heard(let id, let said): Self.event("heard", id: id, [("text", text(said))])
        case .thinking(let id): Self.event("thinking", id: id)
        case .retrying(let id, let delay, let error):
            Self.event("retrying", id: id, [
                ("seconds", .number(delay.inSeconds)), ("error", ReportText.document(error.diagnosis)),
            ])
        case .answerPiece(let id, let piece): Self.event("piece", id: id, [("text", text(piece))])
        case .answered(let id, let answer, let cut):
            Self.event("answered", id: id, [("text", text(answer)), ("cut", .optional(cut.map(ChatFormatter.describe)))])
        case .folded(let id, let folding):
            Self.event("folded", id: id, [
                ("similar", .integer(folding.similar)), ("unknown", .integer(folding.unknown)), ("omitted", .integer(folding.omitted)),
            ])
        case .sent(let id, let awaitsReceipt): Self.event("sent", id: id, [("receipt", .bool(awaitsReceipt))])
        case .delivered(let id): Self.event("delivered", id: id)
        case .repeated(let id, let loss): Self.event("repeated", id: id, [("reason", text(loss.message))])
        case .undeliverable(let id, let loss): Self.event("undeliverable", id: id, [("reason", text(loss.message))])
        case .failed(let id, let error): Self.event("failed", id: id, [("error", ReportText.document(error.diagnosis))])
        case .cancelled(let id, let reason): Self.event("cancelled", id: id, [("reason", .string(reason.rawValue))])
        default: Self.event("other")
        }
    }

    private static func event(_ name: String, id: TurnID? = nil, _ members: [(key: String, value: JSONText)] = []) -> JSONText {
        var all: [(key: String, value: JSONText)] = [("event", .string(name))]
        if let id { all.append(("id", .integer(id.number))) }
        return .object(all + members)
    }

    private static func text(_ text: String) -> JSONText { .string(String(text.prefix(textLimit))) }
    private static func optional(_ text: String?) -> JSONText { text.map { Self.text($0) } ?? .null }
}
