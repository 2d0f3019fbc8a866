import Bluetooth
import Provisioning
import Support

extension ReportText {
    /// One unit of the documents `noafw.flash/1` and `noafw.rescue/1`.
    static func document(_ report: UnitReport) -> JSONText {
        .object([
            ("id", .string(report.identity.address.description)),
            ("family", .string(report.family.rawValue)),
            ("address", .string(report.identity.address.description)),
            ("verdict", .string(report.passed ? "pass" : "fail")),
            ("fault", .optional(report.error?.fault?.rawValue)),
            ("steps", .array(report.steps.map(document))),
            ("error", report.error.map(ReportText.document) ?? .null),
            ("program", .optional(report.program?.rawValue)),
            ("recoveries", .array(report.recoveries.map(ReportText.document))),
        ] + planned(report.plan))
    }

    /// Nothing where a unit was not asked.
    static func planned(_ plan: Plan?) -> [(key: String, value: JSONText)] { plan.map { [("plan", document($0))] } ?? [] }

    static func document(_ plan: Plan) -> JSONText {
        let components = plan.components.map { component in
            JSONText.object([
                ("name", .string(component.component.rawValue)), ("action", .string(component.action.rawValue)),
                ("from", .optional(component.from)), ("to", .string(component.to)), ("bytes", .integer(component.byteCount)),
                ("seconds", .number(component.seconds)),
            ])
        }
        return .object([("components", .array(components)), ("seconds", .number(plan.seconds))])
    }

    static func document(_ step: StepReport) -> JSONText {
        .object([
            ("name", .string(step.component.rawValue)),
            ("action", .string(step.action.rawValue)),
            ("from", .optional(step.from)),
            ("to", .optional(step.to)),
            ("bytes", .integer(step.bytes)),
            ("seconds", .number(step.seconds)),
            ("proof", .optional(step.evidence?.rawValue)),
        ])
    }
}
