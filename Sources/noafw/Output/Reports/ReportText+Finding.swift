import Provisioning

extension ReportText {
    /// By what a component is compared.
    static func evidence(for component: Component, isDeep: Bool) -> Evidence { isDeep ? component.evidence : .version }

    /// A component of the document `noafw.verify/1`.
    static func document(_ finding: VerifyReport.Finding, of component: Component, isDeep: Bool) -> JSONText {
        let differences = ("differences", JSONText.array(finding.differences.map { .string($0) }))
        return .object(
            [
                ("expected", .string(finding.expected)),
                ("actual", .optional(finding.actual)),
                ("match", .bool(finding.matches)),
                ("proof", .string(evidence(for: component, isDeep: isDeep).rawValue)),
            ] + (isDeep ? [differences, ("extras", .array(finding.extras.map { .string($0) }))] : []))
    }
}
