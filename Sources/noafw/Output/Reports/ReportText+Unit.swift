import Bluetooth
import Provisioning
import Support

extension ReportText {
    static func document(_ report: UnitReport, _ verdict: String?) -> JSONText {
        document(
            report, id: nil, family: report.family, identity: report.identity, steps: report.steps, error: report.error, verdict: .optional(verdict))
    }

    /// One unit of the documents `noafw.flash/1` and `noafw.rescue/1`.
    /// - Parameters:
    ///   - report: `nil` for a run that ended before there was one; what is known of it stands beside it.
    ///   - verdict: `null` for a unit that nothing was done to.
    ///   - id: how the command line names the unit; without it, the unit's address does.
    static func document(
        _ report: UnitReport?, id: String?, family: FamilyID?, identity: UnitIdentity?, steps: [StepReport], error: Diagnosis?,
        verdict: JSONText
    ) -> JSONText {
        let address = identity?.address.description
        // A unit that was not asked has no plan.
        let plan = report?.plan.map { [("plan", document($0))] } ?? []
        return .object([
            ("id", .optional(id ?? address)),
            ("family", .optional(family?.rawValue)),
            ("address", .optional(address)),
            ("verdict", verdict),
            ("fault", .optional(error?.fault?.rawValue)),
            ("steps", .array(steps.map(document))),
            ("error", error.map(document) ?? .null),
            ("program", .optional(report?.program?.sign.rawValue)),
            ("recoveries", .array((report?.recoveries ?? []).map(document))),
        ] + plan)
    }

    static func document(_ plan: Plan) -> JSONText {
        let components = plan.components.map { component in
            JSONText.object([
                ("name", .string(component.component.name)), ("action", .string(component.action.rawValue)),
                ("from", .optional(component.from)), ("to", .string(component.to)), ("bytes", .integer(component.byteCount)),
                ("seconds", .number(component.seconds)),
            ] + (component.erases.map { [("erases", .array($0.map(JSONText.string)))] } ?? []))
        }
        return .object([("components", .array(components)), ("seconds", .number(plan.seconds))])
    }

    static func document(_ step: StepReport) -> JSONText {
        .object([
            ("name", .string(step.component.name)),
            ("action", .string(step.action.rawValue)),
            ("from", .optional(step.from)),
            ("to", .optional(step.to)),
            ("bytes", .integer(step.bytes)),
            ("seconds", .number(step.seconds)),
            ("proof", .optional(step.evidence?.rawValue)),
        ])
    }
}
