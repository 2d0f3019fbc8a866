import Foundation
import Ledger
import Provisioning
import Support

/// A job's report, as a record needs it.
protocol RecordedReport: Verdict {
    var identity: UnitIdentity { get }
    var recoveries: [Recovery] { get }
    /// Why the unit did not pass.
    var failure: Diagnosis? { get }
    var result: UnitResult { get }
}

extension RecordedReport {
    var result: UnitResult { failure.map { UnitResult($0) } ?? .passed }
}

extension UnitReport: RecordedReport {
    var failure: Diagnosis? { error }
    var result: UnitResult {
        if let error { return UnitResult(error) }
        if steps.contains(where: { $0.action == .planned }) { return .planned }
        return steps.contains { $0.action != .current && $0.action != .skipped } ? .passed : .wasCurrent
    }
}

extension VerifyReport: RecordedReport {
    var drifted: [Component] { findings.filter { !$0.value.matches }.keys.sorted() }

    var failure: Diagnosis? {
        if error == nil, findings.isEmpty { return ProvisioningError.nothingWanted.diagnosis }
        return error ?? (drifted.isEmpty ? nil : CommandError.differs(parts: drifted, advice: CommandError.flashSameScripts).diagnosis)
    }
}

extension ComparedReport: RecordedReport {
    var identity: UnitIdentity { report.identity }
    var recoveries: [Recovery] { report.recoveries }
}

/// The fleet's run that a unit's run is a part of: what decided about its turn.
struct RolloutPlan: Sendable, Hashable, Codable {
    /// Of the units' order.
    var seed: UInt64
    var units: Int
    var jobsPerAdapter: Int
    /// Units that are proved before the others start; `nil` is 1 for five units or more.
    var canary: Int?
    /// Failures in a row with one code; 0 stops for none.
    var stopAfter: Int
}

/// The plan as a record has it: what the unit needs, once that is known, and the rollout.
struct RecordedPlan: Encodable {
    var job: Plan?
    var rollout: RolloutPlan?

    private enum CodingKeys: String, CodingKey { case rollout }

    func encode(to encoder: any Encoder) throws {
        try job?.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(rollout, forKey: .rollout)
    }

    private struct Reader: Decodable {
        struct Item: Decodable { var component: String }
        var components: [Item]?
    }

    /// The components that a recorded plan was to bring up to date.
    static func components(in json: String?) -> Set<String> {
        let read = json.flatMap { try? JSONDecoder().decode(Reader.self, from: Data($0.utf8)) }
        return Set(read?.components?.map(\.component) ?? [])
    }

    /// `nil` where nothing is planned.
    var json: String? {
        guard job != nil || rollout != nil else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}
