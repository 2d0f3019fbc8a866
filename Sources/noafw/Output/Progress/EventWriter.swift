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
        write(unit: event.unit.map { $0.address?.description ?? $0.id }, run: run, Self.members(event))
    }

    /// The last line.
    func finish(_ error: Diagnosis?, passed: Bool) {
        write(unit: nil, run: nil, [
            ("event", .string("result")), ("verdict", .string(error == nil && passed ? "pass" : "fail")),
            ("error", error.map(ReportText.document) ?? .null),
        ])
    }

    private func write(unit: String?, run: String?, _ members: [(String, JSONText)]) {
        let line = JSONText.object(
            [
                ("schema", .string("noafw.event/1")), ("time", .string(context.date().formatted(.iso8601))),
                ("seconds", .number(start.duration(to: context.clock.now).inSeconds)), ("unit", .optional(unit)),
                ("run_id", .optional(run)),
            ] + members
        ).text
        guard let file else { return context.output.writeLine(line) }
        if let failure = file.write(line) { context.explain(failure.diagnosis) }
    }

    private static func members(_ event: RunEvent) -> [(String, JSONText)] {
        switch event.content {
        case .units(let count): [("event", .string("fleet")), ("units", .integer(count))]
        case .started(let adapter, _): [("event", .string("started")), ("id", .optional(event.unit?.id)), ("adapter", .string(adapter))]
        case .ended(let result, let seconds):
            [
                ("event", .string("ended")), ("id", .optional(event.unit?.id)), ("verdict", .string(result.verdict.rawValue)),
                ("unit_seconds", .number(seconds)), ("error", result.fault.map(ReportText.document) ?? .null),
            ]
        case .recorded(let run): [("event", .string("run")), ("run", ReportText.document(run))]
        case .stage(let stage): [("event", .string("stage")), ("stage", .string(stage.name))]
        case .progress(let stage, let overall, let done, let total):
            [
                ("event", .string("progress")), ("stage", .string(stage.name)), ("overall", .number(overall)),
                ("bytes_done", .integer(done)), ("bytes_total", .integer(total)),
            ]
        case .notice(let text): [("event", .string("notice")), ("text", .string(text))]
        case .recovery(let recovery): [("event", .string("notice")), ("text", .string(recovery.words))]
        case .found(let family): [("event", .string("found")), ("family", .string(family.rawValue))]
        case .probed(let unit):
            [
                ("event", .string("unit")), ("name", .string(unit.name)),
            ] + FamilyList.supported.components.map { ($0.name, .optional(unit.versions[$0])) } + [
                ("battery_percent", unit.batteryPercent.map { .integer($0) } ?? .null),
            ]
        case .planned(let plan): [("event", .string("plan")), ("plan", ReportText.document(plan))]
        case .step(let step): [("event", .string("step")), ("step", ReportText.document(step))]
        case .place: []
        }
    }
}
