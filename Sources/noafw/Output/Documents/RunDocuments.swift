import Provisioning
import Support

/// The document of `flash` or `verify`.
struct RunDocument: Codable, Sendable {
    static let flash = "noafw.flash/1"
    static let verify = "noafw.verify/1"

    var schema: String
    /// `nil` in a dry run that found what to update.
    var verdict: PassMember?
    var units: [UnitMember]
    /// Of several units.
    @Omitted var fleet: FleetMember?
}

/// The document of `rescue`.
struct RescueDocument: Codable, Sendable {
    var schema = "noafw.rescue/1"
    /// `nil` when no unit is stranded: none was verified.
    var verdict: PassMember?
    var units: [UnitMember]
    /// Addresses of bootloaders that this station has not met, and of those beside a unit that runs.
    var strangers: [String]
    var impostors: [String]
    /// The address of the named unit, when it is not stranded at all.
    var running: String?
    var error: Diagnosis?
}

/// One line of `--events`.
struct EventDocument: Encodable, Sendable {
    struct Head: Encodable, Sendable {
        var schema = "noafw.event/1"
        var time: String
        var seconds: Double
        var unit: String?
        var runID: String?

        private enum CodingKeys: String, CodingKey { case schema, time, seconds, unit, runID = "run_id" }
    }

    /// `event` says which of the other members there are.
    struct Content: Encodable, Sendable {
        var event: String
        @Omitted var units: Int?
        @Omitted var id: String??
        @Omitted var adapter: String?
        @Omitted var stage: String?
        @Omitted var overall: Double?
        @Omitted var bytesDone: Int?
        @Omitted var bytesTotal: Int?
        @Omitted var text: String?
        @Omitted var family: FamilyID?
        @Omitted var name: String?
        @Omitted var plan: PlanMember?
        @Omitted var step: StepMember?
        @Omitted var run: RunIdentity??
        @Omitted var verdict: String?
        @Omitted var unitSeconds: Double?
        @Omitted var error: Diagnosis??

        private enum CodingKeys: String, CodingKey {
            case event, units, id, adapter, stage, overall, bytesDone = "bytes_done", bytesTotal = "bytes_total", text, family, name, plan,
                step, run
            case verdict, unitSeconds = "unit_seconds", error
        }
    }

    /// What a unit says of itself, a member for each.
    struct Facts: Encodable, Sendable {
        var versions: [(component: String, version: String?)]
        var facts: [UnitFact]

        init(_ unit: UnitIdentity) {
            versions = FamilyList.supported.components.map { ($0.name, unit.versions[$0]) }
            facts = unit.facts
        }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: MemberName.self)
            for (component, version) in versions { try members.encodeIfPresent(version, forKey: MemberName(component)) }
            for fact in facts { try members.encode(fact.value, forKey: MemberName(fact.name)) }
            if !facts.contains(where: { $0.name == UnitFact.battery }) { try members.encodeNil(forKey: MemberName(UnitFact.battery)) }
        }
    }

    var head: Head
    var content: Content
    var facts: Facts?

    func encode(to encoder: any Encoder) throws {
        try head.encode(to: encoder)
        try content.encode(to: encoder)
        try facts?.encode(to: encoder)
    }
}

extension EventDocument.Content {
    init(_ event: RunEvent) {
        self.init(event: "notice")
        switch event.content {
        case .units(let count): (self.event, units) = ("fleet", count)
        case .started(let adapter, _): (self.event, id, self.adapter) = ("started", .some(event.unit?.id), adapter)
        case .ended(let result, let seconds):
            (self.event, id, verdict) = ("ended", .some(event.unit?.id), result.verdict.rawValue)
            (unitSeconds, error) = (seconds, .some(result.fault))
        case .recorded(let run): (self.event, self.run) = ("run", .some(run))
        case .stage(let stage): (self.event, self.stage) = ("stage", stage.name)
        case .progress(let stage, let overall, let done, let total):
            (self.event, self.stage, self.overall, bytesDone, bytesTotal) = ("progress", stage.name, overall, done, total)
        case .notice(let text): self.text = text
        case .recovery(let recovery): text = recovery.words
        case .found(let family): (self.event, self.family) = ("found", family)
        case .probed(let unit): (self.event, name) = ("unit", unit.name)
        case .planned(let plan): (self.event, self.plan) = ("plan", PlanMember(plan))
        case .step(let step): (self.event, self.step) = ("step", StepMember(step))
        case .place: break
        }
    }
}
