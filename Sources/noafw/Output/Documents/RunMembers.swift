import Bluetooth
import Ledger
import Provisioning
import Support

// What the documents of runs are made of. Names and meanings: docs/json.md.

extension Remedy: Codable {}
extension Diagnosis.Fault: Codable {}
extension FindingState: Codable {}
extension FleetVerdict: Codable, CodingKey {}

struct StepMember: Codable, Sendable {
    var name: String
    var action: StepReport.Action
    var from: String?
    var to: String?
    var bytes: Int
    var seconds: Double
    var proof: Evidence?

    init(_ step: StepReport) {
        (name, action, from, to) = (step.component.name, step.action, step.from, step.to)
        (bytes, seconds, proof) = (step.bytes, step.seconds, step.evidence)
    }
}

struct PlanMember: Codable, Sendable {
    struct Component: Codable, Sendable {
        var name: String
        var action: ComponentPlan.Action
        var from: String?
        var to: String
        var bytes: Int
        var seconds: Double
        @Omitted var erases: [String]?
    }

    var components: [Component]
    var seconds: Double

    init(_ plan: Plan) {
        components = plan.components.map {
            Component(
                name: $0.component.name, action: $0.action, from: $0.from, to: $0.to, bytes: $0.byteCount, seconds: $0.seconds,
                erases: $0.erases)
        }
        seconds = plan.seconds
    }
}

struct RecoveryMember: Codable, Sendable {
    var remedy: Remedy
    var reason: Diagnosis

    init(_ recovery: Recovery) { (remedy, reason) = (recovery.remedy, recovery.reason) }
}

struct LastPassMember: Codable, Sendable {
    var time: String
    var verb: String
    var run: String
}

extension LastPassMember {
    init(_ pass: PassedRun) { self.init(time: pass.endedAt.iso8601, verb: pass.verb, run: "\(pass.id)") }
}

extension RunIdentity {
    init(_ record: RunRecord) {
        self.init(
            id: "\(record.id)", station: record.station, operator: record.operatorName, serial: record.serial, order: record.workOrder,
            started: record.startedAt.iso8601, ended: record.endedAt?.iso8601)
    }
}

/// A component of one unit in the document of `verify`.
struct FindingMember: Codable, Sendable {
    var expected: String
    var actual: String?
    var match: Bool
    var proof: Evidence
    /// With `--deep`.
    @Omitted var differences: [String]?
    @Omitted var extras: [String]?
    /// Of several units, or compared ones.
    @Omitted var state: FindingState?
    /// Lines of the allow-list.
    @Omitted var allowedBy: [Int]?

    private enum CodingKeys: String, CodingKey { case expected, actual, match, proof, differences, extras, state, allowedBy = "allowed_by" }
}

// A baseline may be a document of an earlier version, or what another program has left of one: its unit's address and what it held count.
extension FindingMember {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            expected: try members.decodeIfPresent(String.self, forKey: .expected) ?? "",
            actual: try members.decodeIfPresent(String.self, forKey: .actual),
            match: try members.decodeIfPresent(Bool.self, forKey: .match) ?? false,
            proof: try members.decodeIfPresent(Evidence.self, forKey: .proof) ?? .version)
        differences = try members.decodeIfPresent([String].self, forKey: .differences)
    }
}

/// A member with a name that is known when it runs.
struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// One unit in the documents of `flash`, `verify` and `rescue`.
struct UnitMember: Codable, Sendable {
    struct Names: Codable, Sendable {
        /// As the command line names it.
        var id: String?
        var family: FamilyID?
        var address: String?
        /// What people of this station call it.
        @Omitted var label: String?
    }

    struct Findings: Sendable {
        /// `nil` for a component that was not looked at; one that the family does not have is absent.
        var components: [(component: Component, finding: FindingMember?)] = []
    }

    struct Result: Codable, Sendable {
        /// `null` for a unit that nothing was done to.
        var verdict: PassMember?
        /// Whose fault it is.
        var fault: Diagnosis.Fault?
        @Omitted var steps: [StepMember]?
        var error: Diagnosis?
        var program: ProgramVerification.Sign?
        var recoveries: [RecoveryMember]
        @Omitted var plan: PlanMember?
        @Omitted var lastPass: LastPassMember??
        /// `null` where the run is not recorded.
        var run: RunIdentity?
        /// Of several units.
        @Omitted var outcome: FleetVerdict?
        @Omitted var seconds: Double?
        @Omitted var adapter: String??

        private enum CodingKeys: String, CodingKey {
            case verdict, fault, steps, error, program, recoveries, plan, lastPass = "last_pass", run, outcome, seconds, adapter
        }
    }

    var names: Names
    var findings = Findings()
    var result: Result

    init(names: Names, result: Result) { (self.names, self.result) = (names, result) }

    init(from decoder: any Decoder) throws {
        (names, findings) = (try Names(from: decoder), try Findings(from: decoder))
        result = (try? Result(from: decoder)) ?? Result(recoveries: [])
    }

    func encode(to encoder: any Encoder) throws {
        try names.encode(to: encoder)
        try findings.encode(to: encoder)
        try result.encode(to: encoder)
    }
}

extension UnitMember.Findings: Codable {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: MemberName.self)
        components = try FamilyList.supported.components.filter { members.contains(MemberName($0.name)) }.map {
            ($0, try members.decodeIfPresent(FindingMember.self, forKey: MemberName($0.name)))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: MemberName.self)
        for (component, finding) in components { try members.encodeIfPresent(finding, forKey: MemberName(component.name)) }
    }
}

/// What the documents of several units say of all.
struct FleetMember: Codable, Sendable {
    struct Counts: Codable, Sendable {
        var counts: [FleetVerdict: Int]

        init(_ verdicts: [FleetVerdict]) {
            counts = Dictionary(uniqueKeysWithValues: FleetVerdict.allCases.map { verdict in (verdict, verdicts.count { $0 == verdict }) })
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: FleetVerdict.self)
            counts = try FleetVerdict.allCases.reduce(into: [:]) { $0[$1] = try members.decodeIfPresent(Int.self, forKey: $1) ?? 0 }
        }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: FleetVerdict.self)
            for verdict in FleetVerdict.allCases where verdict != .planned || counts[verdict] != 0 {
                try members.encode(counts[verdict] ?? 0, forKey: verdict)
            }
        }
    }

    var units: Int
    var counts: Counts
    /// Why no more units were started.
    var stop: Diagnosis?
    var interrupted: Bool
    var seconds: Double
    var error: Diagnosis?
    /// Of the units' order.
    @Omitted var seed: UInt64?
    @Omitted var comparedWith: String?

    private enum CodingKeys: String, CodingKey {
        case units, counts, stop, interrupted, seconds, error, seed, comparedWith = "compared_with"
    }
}
