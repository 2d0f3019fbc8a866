import Assistant
import Bluetooth
import Foundation
import Provisioning
import Support

/// Saves the conversation: transcript, pictures, JSON.
final class ChatRecorder: Sendable {
    private let transcript: AppendedFile?
    private let media: MediaFolder?
    private let json: TextSink?
    private let diagnostics: TextSink
    private let date: @Sendable () -> Date

    /// - Throws: ``PrivateFile/Failure``.
    init(_ context: CommandContext, transcript: OutputName?, media: OutputName?, json: Bool) throws(PrivateFile.Failure) {
        self.transcript = if let transcript { try AppendedFile(context.path(transcript).location) } else { nil }
        self.media = if let media { try MediaFolder(context.path(media).location) } else { nil }
        self.json = json ? context.output : nil
        diagnostics = context.diagnostics
        date = context.date
    }

    func begin(unit: ReportTarget, assistant: String, mode: AssistantMode) {
        write(.begin(unit: unit, assistant: assistant, mode: mode))
        note("---", "chat with \(unit.id ?? unit.family?.rawValue ?? "a unit"), \(assistant)")
    }

    func end(_ verdict: ChatVerdict?, error: Diagnosis?) { write(.end(verdict, error: error)) }

    private func write(_ document: ChatDocument) { json?.writeLine(JSONWriter.text(document)) }

    /// - Returns: the place of a saved picture.
    func take(_ event: ChatEvent) -> String? {
        let file = photo(of: event)
        write(ChatDocument(event, photoFile: file))
        if let line = ChatFormatter.line(for: event, photoFile: file) {
            let who = switch line.kind {
            case .question: "you"
            case .answer: "noa"
            case .state: "---"
            case .problem: "!!!"
            case .console: "py>"
            }
            for text in line.texts { note(who, text) }
        }
        return file
    }

    private func note(_ who: String, _ line: String) {
        if let failure = transcript?.write("\(date().formatted(.iso8601)) \(who) \(line)") { tell(failure) }
    }

    private func photo(of event: ChatEvent) -> String? {
        guard case .photo(let photo) = event, let media else { return nil }
        do {
            return try media.save(photo.bytes, as: photo.kind.fileExtension)
        } catch {
            tell(error)
            return nil
        }
    }

    private func tell(_ error: any Error) {
        ErrorText.lines(diagnose(error), style: TextStyle(isColoured: false)).forEach(diagnostics.writeLine)
    }
}
