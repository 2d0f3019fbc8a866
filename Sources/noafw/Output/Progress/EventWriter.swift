import Bluetooth
import Foundation
import Provisioning
import Support
import Synchronization

/// Writes the events of a run as JSON lines (schema `noafw.event/1`), each as it happens.
final class EventWriter: Sendable {
    private let context: CommandContext
    private let start: SessionClock.Instant
    /// `nil`: to standard output.
    private let file: AppendedFile?
    /// Of the units that are worked on.
    private let runs = Mutex<[FleetUnit: String]>([:])

    /// - Parameter destination: a file that lines are added to, or standard output.
    /// - Throws: ``PrivateFile/Failure``.
    init(_ destination: ResultName, context: CommandContext) throws(PrivateFile.Failure) {
        self.context = context
        start = context.clock.now
        file = destination.isStandardOutput ? nil : try AppendedFile(context.path(destination).location)
    }

    func write(_ event: RunEvent) {
        if case .place = event.content { return }
        let run = runs.withLock { runs -> String? in
            guard let unit = event.unit else { return nil }
            if case .recorded(let run) = event.content { runs[unit] = run?.id }
            return runs[unit]
        }
        let facts: EventDocument.Facts? = if case .probed(let unit) = event.content { .init(unit) } else { nil }
        write(unit: event.unit.map { $0.address?.description ?? $0.id }, run: run, .init(event), facts)
    }

    /// The last line.
    func finish(_ error: Diagnosis?, _ verdict: PassMember?) {
        var content = EventDocument.Content(event: "result")
        (content.verdict, content.error) = ((error == nil ? verdict : .fail)?.rawValue, .some(error))
        write(unit: nil, run: nil, content, nil)
    }

    private func write(unit: String?, run: String?, _ content: EventDocument.Content, _ facts: EventDocument.Facts?) {
        let seconds = start.duration(to: context.clock.now).inSeconds
        let head = EventDocument.Head(time: context.date().formatted(.iso8601), seconds: seconds, unit: unit, runID: run)
        let line = JSONWriter.text(EventDocument(head: head, content: content, facts: facts))
        guard let file else { return context.output.writeLine(line) }
        if let failure = file.write(line) { context.explain(failure.diagnosis) }
    }
}
