import Bluetooth
import Provisioning
import Support

extension ReportText {
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

    static func document(_ step: StepReport) -> JSONText {
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
}
