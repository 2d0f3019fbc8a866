import Bluetooth
import Provisioning
import Support

extension Comparison {
    /// - Throws: ``ComparisonError/notInBaseline(unit:baseline:)``.
    func checkBaseline(of unit: DeviceAddress) throws(ComparisonError) {
        guard let baseline, !baseline.addresses.contains(unit) else { return }
        throw .notInBaseline(unit: "\(unit)", baseline: baseline.name)
    }

    /// A fleet's report with the units of the baseline that are missing.
    /// - Parameter isAll: whether everybody in reach was asked for, rather than a list.
    func complete(_ report: FleetReport<ComparedReport>, isAll: Bool) -> FleetReport<ComparedReport> {
        guard let baseline, isAll else { return report }
        var complete = report
        let met = Set(report.entries.compactMap(\.unit.address))
        complete.entries += baseline.addresses.subtracting(met).sorted { $0.description < $1.description }.map { address in
            let error = ComparisonError.gone(unit: "\(address)", baseline: baseline.name).diagnosis
            return FleetEntry(unit: FleetUnit(id: "\(address)", address: address), result: .notReached(error))
        }
        return complete
    }
}

/// One component of one unit in a report of many; without a component, of the unit as a whole.
struct FindingRow: Sendable {
    var unit: FleetUnit
    var component: Component?
    var finding: VerifyReport.Finding?
    var state: FindingState
    var error: Diagnosis?
    var used: [AllowList.Entry] = []
    var expired: [AllowList.Entry] = []
    var seconds: Double

    static func rows(of entry: FleetEntry<ComparedReport>) -> [FindingRow] {
        let findings = (entry.report?.findings ?? []).map { compared in
            FindingRow(
                unit: entry.unit, component: compared.component, finding: compared.finding, state: compared.state, used: compared.used,
                expired: compared.expired, seconds: entry.seconds)
        }
        guard entry.error != nil || findings.isEmpty else { return findings }
        return findings + [FindingRow(unit: entry.unit, state: state(of: entry), error: entry.error, seconds: entry.seconds)]
    }

    private static func state(of entry: FleetEntry<ComparedReport>) -> FindingState {
        switch entry.verdict {
        case .pass: .matches
        case .fail: .unknown
        case .notExpected: .notExpected
        case .error, .interrupted, .notReached, .notStarted, .inUse: .unreachable
        }
    }

    /// How many are shown: a flash that was never written differs in each of its hundred pages.
    private static let differenceLimit = 8

    /// The first ones, and how many more there are.
    var differences: [String] {
        let all = finding?.differences ?? []
        let more = all.count - Self.differenceLimit
        return all.prefix(Self.differenceLimit) + (more > 0 ? ["and \(more) more"] : [])
    }

    /// What differs, in one line.
    var reason: String {
        if let error { return "\(error.code): \(error.message)" }
        guard let finding, !state.isGood || state == .allowed else { return "" }
        let versions = finding.expected == finding.actual ? [] : ["expected \(finding.expected), actual \(finding.actual ?? "none")"]
        let notes =
            used.map { "allowed by line \($0.line): \($0.reason)" }
            + expired.map { "allowed until \($0.expires ?? "-") by line \($0.line)" }
        return (versions + differences + notes).joined(separator: "; ")
    }
}
