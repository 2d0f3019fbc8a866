/// What a job is going to do to one unit.
public struct Plan: Sendable, Equatable, Encodable {
    public var family: FamilyID
    /// The application's address.
    public var unit: String
    public var components: [ComponentPlan]

    public init(family: FamilyID, unit: String, components: [ComponentPlan]) {
        self.family = family
        self.unit = unit
        self.components = components
    }

    /// Names of a person's own files that go, or may go.
    public var erases: [String] { components.flatMap { $0.erases ?? [] } }

    /// Expected, of the updates alone.
    public var seconds: Double { components.reduce(0) { $0 + $1.seconds } }
}

public struct ComponentPlan: Sendable, Equatable, Encodable {
    public enum Action: String, Sendable, Codable, CaseIterable {
        case current
        case update
        /// The unit gets another firmware first, and is asked then.
        case afterFirmware
    }

    public var component: Component
    public var action: Action
    /// `nil` while it is not known.
    public var from: String?
    public var to: String
    /// Bytes of the image, not of the air.
    public var byteCount: Int
    public var estimates: [StageEstimate]
    /// What the estimates are multiplied with, by what the station's last runs took; `nil` without such runs.
    public var correction: Double?
    /// Names of a person's own files on the unit that the update replaces, or may erase; printable. `nil` for none.
    public var erases: [String]?

    public init(
        component: Component, action: Action, from: String?, to: String, byteCount: Int, estimates: [StageEstimate] = []
    ) {
        self.component = component
        self.action = action
        self.from = from
        self.to = to
        self.byteCount = byteCount
        self.estimates = estimates
    }

    /// Whether the unit's other components have to be asked for again afterwards.
    var outdatesOthers: Bool { component.outdatesOthers && action != .current }

    /// Expected; 0 for what is current.
    public var seconds: Double { expected.reduce(0) { $0 + $1.seconds } }

    /// The estimates, corrected.
    var expected: [StageEstimate] { estimates.map { StageEstimate($0.stage, seconds: $0.seconds * (correction ?? 1)) } }
}
