/// A stage of a job. Those of an update are declared beside its updater.
public struct Stage: Sendable, Hashable, CustomStringConvertible {
    /// As events and records have it.
    public let name: String
    /// Whether its progress counts bytes that go to the unit.
    public let sendsBytes: Bool
    /// What an interruption within it leaves on the unit, in words for an operator; `nil` for a stage that changes nothing.
    public let remains: String?

    public init(_ name: String, sendsBytes: Bool = false, remains: String? = nil) {
        (self.name, self.sendsBytes, self.remains) = (name, sendsBytes, remains)
    }

    public static let connect = Stage("connect")
    public static let probe = Stage("probe")
    public static let preflight = Stage("preflight")
    public static let proof = Stage("proof", remains: "every part is written, the proof is missing")

    public var description: String { name }

    public static func == (left: Stage, right: Stage) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Stage: Encodable {
    public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
}

/// A stage and how long it may take.
public struct StageEstimate: Sendable, Equatable, Encodable {
    public var stage: Stage
    public var seconds: Double

    public init(_ stage: Stage, seconds: Double) {
        self.stage = stage
        self.seconds = seconds
    }
}
