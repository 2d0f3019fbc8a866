import Bluetooth
import Provisioning
import Support

/// The results of `flash` as tables and as the document `noafw.flash/1`.
struct FlashPresentation: FleetPresentation {
    typealias UnitVerdict = UnitReport

    var single: ReportTarget?
    var isDryRun = false
    /// Of several units.
    var limits: RolloutLimits?

    var mayChangeUnit: Bool { !isDryRun }

    func document(_ result: FleetRunResult<UnitReport>) -> any Encodable & Sendable {
        RunDocument(
            schema: RunDocument.flash, verdict: verdict(of: result), units: result.report.entries.map { unit($0, result) },
            fleet: isSingle ? nil : FleetMember(result, seed: limits?.seed))
    }

    func unit(_ entry: FleetEntry<UnitReport>, _ result: FleetRunResult<UnitReport>) -> UnitMember {
        var member = member(entry, result, program: entry.report?.program)
        member.names.family = entry.report?.family ?? member.names.family
        member.result.steps = steps(entry, result).map { StepMember($0) }
        member.result.plan = entry.report?.plan.map { PlanMember($0) }
        return member
    }

    func verdict(of result: FleetRunResult<UnitReport>) -> PassMember? {
        result.passed && result.report.entries.contains { $0.verdict == .planned } ? nil : PassMember(result.passed)
    }

    private func steps(_ entry: FleetEntry<UnitReport>, _ result: FleetRunResult<UnitReport>) -> [StepReport] {
        (entry.report?.steps ?? result.known(entry).steps).sorted { $0.component < $1.component }
    }

    func summary(_ result: FleetRunResult<UnitReport>, style: TextStyle) -> [String] {
        if isSingle { return result.report.entries.first.map { summary($0, result, style) } ?? [] }
        let table = FleetSummary.table(result.report, style: style)
        let errors = FleetSummary.errors(result.report, style: style)
        let verdict = isDryRun && result.passed
            ? style.paint("DRY RUN", .careful) + "  nothing was changed; " + planned(result) : FleetSummary.verdict(result, style: style)
        return [table, errors, [verdict]].filter { !$0.isEmpty }.joined(separator: [""]).map { $0 }
    }

    private func planned(_ result: FleetRunResult<UnitReport>) -> String {
        let due = result.report.entries.count { entry in entry.report?.steps.contains { $0.action == .planned } == true }
        return "\(due) of \(result.report.entries.count) units would be updated (\(Format.seconds(result.seconds)) s)"
    }

    // MARK: - One unit

    private func summary(_ entry: FleetEntry<UnitReport>, _ result: FleetRunResult<UnitReport>, _ style: TextStyle) -> [String] {
        let steps = steps(entry, result)
        var lines = result.identity(entry).map { [ComponentFormatter.describe($0), ""] } ?? []
        if !steps.isEmpty { lines += table(steps, style) + [""] }
        lines += ReportText.needed(entry.report?.recoveries ?? [])
        if isDryRun, let names = entry.report?.plan?.erases, !names.isEmpty {
            lines.append(
                "would erase on the unit: \(UntrustedText.escape(names.joined(separator: ", "), limit: UntrustedText.noticeLimit))")
        }
        lines.append(verdict(entry, result, steps, style))
        guard error(of: result) == nil, !isDryRun else { return lines }
        for step in steps where step.component.evidence == .version && step.action == .current {
            let part = step.component.title
            lines.append("  the \(part) is current by its version alone: a unit's \(part) cannot be read back")
        }
        return lines + ReportText.seen(entry.report?.program) + ReportText.silence(entry.report?.program)
    }

    private func table(_ steps: [StepReport], _ style: TextStyle) -> [String] {
        var table = TextTable([
            .init("part"), .init("from", leftOut: 3), .init("to"), .init("result"), .init("bytes", .right, leftOut: 2),
            .init("seconds", .right),
            .init("rate", .right, leftOut: 1),
        ])
        for step in steps {
            let hasMoved = step.action == .updated && step.bytes > 0 && step.seconds > 0
            table.append([
                step.component.name, ComponentFormatter.version(step.from), ComponentFormatter.version(step.to), step.action.rawValue,
                step.bytes > 0 ? Format.bytes(step.bytes) : "-",
                step.seconds > 0 ? Format.seconds(step.seconds) : "-",
                hasMoved ? Format.rate(bytesPerSecond: Double(step.bytes) / step.seconds) : "-",
            ])
        }
        return table.lines(style: style) { row in
            switch steps[row].action {
            case .updated: .good
            case .failed: .bad
            case .planned: .careful
            case .current, .skipped: nil
            }
        }
    }

    private func verdict(
        _ entry: FleetEntry<UnitReport>, _ result: FleetRunResult<UnitReport>, _ steps: [StepReport], _ style: TextStyle
    ) -> String {
        let time = "(\(Format.seconds(result.seconds)) s)"
        if let error = error(of: result) { return ReportText.verdict(error, hasBegun: result.hasBegun(entry), style) + " " + time }
        let planned = steps.filter { $0.action == .planned }.map(\.component.name)
        if isDryRun {
            let seconds = entry.report?.plan.map { " in about \(Format.clock(seconds: $0.seconds))" } ?? ""
            let plan = planned.isEmpty ? "nothing to update" : "would update \(planned.joined(separator: ", "))\(seconds)"
            return "\(style.paint("DRY RUN", .careful))  \(plan); nothing was changed \(time)"
        }
        return "\(style.paint("PASS", .good))  \(Self.verified(steps, of: entry.report?.family ?? entry.unit.family)) \(time)"
    }

    /// No more than was done: parts that were left out are named by their absence.
    private static func verified(_ steps: [StepReport], of family: FamilyID?) -> String {
        let done = steps.filter { $0.action != .skipped }
        // Its record was being sent when a signal came: the steps are not known.
        guard !done.isEmpty else { return "the unit is verified" }
        let isIdle = done.allSatisfy { $0.action == .current }
        guard done.count < FamilyList.components(of: family).count else { return isIdle ? "everything is current" : "the unit is verified" }
        let parts = done.map(\.component.name).joined(separator: ", ")
        return isIdle ? "current: \(parts)" : "verified: \(parts)"
    }
}
