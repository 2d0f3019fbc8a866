/// Which records are wanted; `nil` stands for all.
public struct RunFilter: Sendable, Hashable {
    public var since: UTCTime?
    public var until: UTCTime?
    /// The beginning of an identity, or its last digits.
    public var id: String?
    /// An address or a serial number.
    public var unit: String?
    public var serial: String?
    public var station: String?
    public var verb: String?
    public var outcome: RunOutcome?
    public var code: String?
    /// The newest that fit.
    public var limit: Int?

    public init() {}
}
