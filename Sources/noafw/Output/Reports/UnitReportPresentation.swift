import Bluetooth
import Provisioning
import Support

/// The result of `flash` as a table and as the document `noafw.flash/1`.
struct UnitReportPresentation: UnitPresentation {
    typealias Report = UnitReport

    var target: ReportTarget
    var isDryRun: Bool

    var mayChangeUnit: Bool { !isDryRun }

    func error(of result: RunResult<UnitReport>) -> Diagnosis? { result.error ?? result.report?.error }

    func document(_ result: RunResult<UnitReport>) -> JSONText {
        let error = error(of: result)
        let unit = ReportText.document(
            result.report, id: target.id, family: result.report?.family ?? result.progress.family ?? target.family,
            identity: identity(result), steps: steps(result), error: error, verdict: result.verdict(passed: error == nil))
        let verdict = JSONText.string(error == nil ? "pass" : "fail")
        return .object([("schema", .string("noafw.flash/1")), ("verdict", verdict), ("units", .array([unit]))])
    }

    func summary(_ result: RunResult<UnitReport>, style: TextStyle) -> [String] {
        let steps = steps(result)
        var lines = identity(result).map { [ComponentFormatter.describe($0), ""] } ?? []
        if !steps.isEmpty { lines += table(steps, style) + [""] }
        lines += ReportText.needed(result.report?.recoveries ?? [])
        if isDryRun, let names = result.report?.plan?.erases, !names.isEmpty {
            lines.append("would erase on the unit: \(UntrustedText.escape(names.joined(separator: ", "), limit: UntrustedText.noticeLimit))")
        }
        lines.append(verdict(result, steps, style))
        guard error(of: result) == nil, !isDryRun else { return lines }
        if steps.contains(where: { $0.component == .firmware && $0.action == .current }) {
            lines.append("  the firmware is current by its version alone: a unit's firmware cannot be read back")
        }
        return lines + ReportText.seen(result.report?.program) + ReportText.silence(result.report?.program)
    }

    private func table(_ steps: [StepReport], _ style: TextStyle) -> [String] {
        var table = TextTable([
            .init("part"), .init("from", leftOut: 3), .init("to"), .init("result"), .init("bytes", .right, leftOut: 2), .init("seconds", .right),
            .init("rate", .right, leftOut: 1),
        ])
        for step in steps {
            let hasMoved = (step.action == .updated || step.action == .transferred) && step.bytes > 0 && step.seconds > 0
            table.append([
                step.component.rawValue, ComponentFormatter.version(step.from), ComponentFormatter.version(step.to), step.action.rawValue,
                step.bytes > 0 ? Format.bytes(step.bytes) : "-",
                step.seconds > 0 ? Format.seconds(step.seconds) : "-",
                hasMoved ? Format.rate(bytesPerSecond: Double(step.bytes) / step.seconds) : "-",
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

    private func verdict(_ result: RunResult<UnitReport>, _ steps: [StepReport], _ style: TextStyle) -> String {
        let time = "(\(Format.seconds(result.seconds)) s)"
        if let error = error(of: result) { return ReportText.verdict(error, hasBegun: result.hasBegun, style) + " " + time }
        let planned = steps.filter { $0.action == .planned }.map(\.component.rawValue)
        if isDryRun {
            let seconds = result.report?.plan.map { " in about \(Format.clock(seconds: $0.seconds))" } ?? ""
            let plan = planned.isEmpty ? "nothing to update" : "would update \(planned.joined(separator: ", "))\(seconds)"
            return "\(style.paint("DRY RUN", .careful))  \(plan); nothing was changed \(time)"
        }
        return "\(style.paint("PASS", .good))  \(Self.verified(steps, of: result.report?.family)) \(time)"
    }

    /// No more than was done: parts that were left out are named by their absence.
    private static func verified(_ steps: [StepReport], of family: FamilyID?) -> String {
        let done = steps.filter { $0.action != .skipped }
        let isIdle = done.allSatisfy { $0.action == .current }
        guard done.count < FamilyList.components(of: family).count else { return isIdle ? "everything is current" : "the unit is verified" }
        let parts = done.map(\.component.rawValue).joined(separator: ", ")
        return isIdle ? "current: \(parts)" : "verified: \(parts)"
    }

    private func identity(_ result: RunResult<UnitReport>) -> UnitIdentity? {
        result.report?.identity ?? result.progress.identity
    }

    private func steps(_ result: RunResult<UnitReport>) -> [StepReport] {
        (result.report?.steps ?? result.progress.steps).sorted { $0.component < $1.component }
    }
}
