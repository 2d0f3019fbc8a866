import Provisioning

/// The results of `flash` for a fleet, as a table and as the document `noafw.flash/1`.
struct FlashFleetPresentation: FleetPresentation {
    typealias UnitVerdict = UnitReport

    var isDryRun: Bool
    var limits: RolloutLimits

    func document(_ result: FleetRunResult<UnitReport>) -> JSONText {
        .object([
            ("schema", .string("noafw.flash/1")), ("verdict", .string(result.passed ? "pass" : "fail")),
            ("units", .array(result.report.entries.map(unit))),
            ("fleet", FleetSummary.document(result).adding([("seed", .integer(Int(limits.seed)))])),
        ])
    }

    private func unit(_ entry: FleetEntry<UnitReport>) -> JSONText {
        let report = entry.report
        let identity = report?.identity ?? entry.unit.address.map { UnitIdentity(address: $0, name: "") }
        return ReportText.document(
            report, id: entry.unit.id, family: report?.family ?? entry.unit.family, identity: identity,
            steps: (report?.steps ?? []).sorted { $0.component < $1.component }, error: entry.error, verdict: .optional(entry.verdict.document)
        ).adding(FleetSummary.members(entry))
    }

    func summary(_ result: FleetRunResult<UnitReport>, style: TextStyle) -> [String] {
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
}
