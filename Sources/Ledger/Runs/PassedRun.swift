/// A run that its unit has passed.
public struct PassedRun: Sendable, Hashable {
    public var id: RunID
    public var verb: String
    public var endedAt: UTCTime

    public init(id: RunID, verb: String, endedAt: UTCTime) { (self.id, self.verb, self.endedAt) = (id, verb, endedAt) }
}
