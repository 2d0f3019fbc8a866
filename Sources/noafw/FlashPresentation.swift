import Bluetooth
import Provisioning
import Support

/// The result of `flash` as a table and as the document `noafw.flash/1`.
struct FlashPresentation: RunPresentation {
    var target: ReportTarget
    var isDryRun: Bool

    func error(of ending: RunEnding<UnitReport>) -> Diagnosis? { ending.error ?? ending.report?.error }

    func document(_ ending: RunEnding<UnitReport>) -> JSONText {
        let error = error(of: ending)
        let verdict = JSONText.string(error == nil ? "pass" : "fail")
        let unit = JSONText.object([
            ("id", .optional(target.id ?? identity(ending)?.address.description)),
            ("family", .string(ending.report?.family ?? target.family)),
            ("address", .optional(identity(ending)?.address.description)),
            ("verdict", verdict),
            ("fault", .optional(error?.fault?.rawValue)),
            ("steps", .array(steps(ending).map(Self.document))),
            ("error", error.map(ReportText.document) ?? .null),
            ("program", .optional(ending.report?.program?.rawValue)),
            ("recoveries", .array((ending.report?.recoveries ?? []).map(ReportText.document))),
        ])
        return .object([("schema", .string("noafw.flash/1")), ("verdict", verdict), ("units", .array([unit]))])
    }

    /// One unit of the documents `noafw.flash/1` and `noafw.rescue/1`.
    static func document(_ report: UnitReport) -> JSONText {
        .object([
            ("id", .string(report.identity.address.description)),
            ("family", .string(report.family)),
            ("address", .string(report.identity.address.description)),
            ("verdict", .string(report.passed ? "pass" : "fail")),
            ("fault", .optional(report.error?.fault?.rawValue)),
            ("steps", .array(report.steps.map(document))),
            ("error", report.error.map(ReportText.document) ?? .null),
            ("program", .optional(report.program?.rawValue)),
            ("recoveries", .array(report.recoveries.map(ReportText.document))),
        ])
    }

    private static func document(_ step: StepReport) -> JSONText {
        .object([
            ("name", .string(step.part.rawValue)),
            ("action", .string(step.action.rawValue)),
            ("from", .optional(step.from)),
            ("to", .optional(step.to)),
            ("bytes", .integer(step.bytes)),
            ("seconds", .number(step.seconds)),
            ("proof", .optional(step.proof?.rawValue)),
        ])
    }

    func summary(_ ending: RunEnding<UnitReport>, style: TextStyle) -> [String] {
        let steps = steps(ending)
        var lines = identity(ending).map { [PartText.describe($0), ""] } ?? []
        if !steps.isEmpty { lines += table(steps, style) + [""] }
        lines += ReportText.needed(ending.report?.recoveries ?? [])
        lines.append(verdict(ending, steps, style))
        guard error(of: ending) == nil, !isDryRun else { return lines }
        if steps.contains(where: { $0.part == .firmware && $0.action == .current }) {
            lines.append("  the firmware is current by its version alone: a unit's firmware cannot be read back")
        }
        return lines + ReportText.silence(ending.report?.program)
    }

    private func table(_ steps: [StepReport], _ style: TextStyle) -> [String] {
        var table = TextTable([
            .init("part"), .init("from"), .init("to"), .init("result"), .init("bytes", .right), .init("seconds", .right),
            .init("rate", .right),
        ])
        for step in steps {
            let hasMoved = (step.action == .updated || step.action == .transferred) && step.bytes > 0 && step.seconds > 0
            table.append([
                step.part.rawValue, PartText.version(step.from), PartText.version(step.to), step.action.rawValue,
                step.bytes > 0 ? Measure.bytes(step.bytes) : "-",
                step.seconds > 0 ? Measure.seconds(step.seconds) : "-",
                hasMoved ? Measure.rate(bytesPerSecond: Double(step.bytes) / step.seconds) : "-",
            ])
        }
        return table.lines(style: style) { row in
            switch steps[row].action {
            case .updated: .good
            case .failed: .bad
            case .planned, .transferred: .careful
            case .current, .skipped: nil
            }
        }
    }

    private func verdict(_ ending: RunEnding<UnitReport>, _ steps: [StepReport], _ style: TextStyle) -> String {
        let time = "(\(Measure.seconds(ending.seconds)) s)"
        if let error = error(of: ending) { return ReportText.verdict(error, hasBegun: ending.hasBegun, style) + " " + time }
        let planned = steps.filter { $0.action == .planned }.map(\.part.rawValue)
        if isDryRun {
            let plan = planned.isEmpty ? "nothing to update" : "would update \(planned.joined(separator: ", "))"
            return "\(style.paint("DRY RUN", .careful))  \(plan); nothing was changed \(time)"
        }
        return "\(style.paint("PASS", .good))  \(Self.proved(steps)) \(time)"
    }

    /// No more than was done: parts that were left out are named by their absence.
    private static func proved(_ steps: [StepReport]) -> String {
        let done = steps.filter { $0.action != .skipped }
        let isIdle = done.allSatisfy { $0.action == .current }
        guard done.count < Part.allCases.count else { return isIdle ? "everything is current" : "the unit is proved" }
        let parts = done.map(\.part.rawValue).joined(separator: ", ")
        return parts.isEmpty ? "nothing was asked for" : isIdle ? "current: \(parts)" : "proved: \(parts)"
    }

    private func identity(_ ending: RunEnding<UnitReport>) -> UnitIdentity? {
        ending.report?.identity ?? ending.progress.identity
    }

    private func steps(_ ending: RunEnding<UnitReport>) -> [StepReport] {
        (ending.report?.steps ?? ending.progress.steps).sorted { $0.part < $1.part }
    }
}

/// What both presentations share.
enum ReportText {
    static func verdict(_ error: Diagnosis, hasBegun: Bool, _ style: TextStyle) -> String {
        if error.category == .interrupted { return style.paint("INTERRUPTED", .bad) + "  the unit is not proved" }
        return hasBegun ? style.paint("FAIL", .bad) + "  the unit is not proved" : style.paint("NOT STARTED", .bad) + "  no unit was touched"
    }

    static func document(_ recovery: Recovery) -> JSONText {
        .object([("remedy", .string(recovery.remedy.rawValue)), ("reason", document(recovery.reason))])
    }

    /// What had to be done to the unit.
    static func needed(_ recoveries: [Recovery]) -> [String] {
        guard !recoveries.isEmpty else { return [] }
        return recoveries.map { "  needed \($0.remedy.words): \(UntrustedText.escape($0.reason.message)) [\($0.reason.code)]" } + [""]
    }

    /// What an operator should know of a program that was proved without a word of its own.
    static func silence(_ proof: ProgramProof?) -> [String] {
        proof == .silent
            ? ["  its program never says that it is ready: proved by its version, a quiet console and the absence of errors"] : []
    }

    static func document(_ error: Diagnosis) -> JSONText {
        .object([("code", .string(error.code)), ("message", .string(error.message)), ("hint", .string(error.remedy))])
    }
}
