/// One step of a run, as it ended.
public struct RunStep: Sendable, Hashable, Codable {
    public var name: String
    /// Since the run's start, by the monotonic clock.
    public var startMilliseconds: Int64
    public var milliseconds: Int64
    public var bytes: Int64?
    public var retries: Int
    /// In thousands of bytes, to one digit.
    public var kilobytesPerSecond: Double?
    public var outcome: RunOutcome
    public var code: String?

    enum CodingKeys: String, CodingKey {
        case name
        case startMilliseconds = "start_ms"
        case milliseconds = "ms"
        case bytes, retries
        case kilobytesPerSecond = "kb_per_s"
        case outcome, code
    }

    public init(
        name: String, startMilliseconds: Int64, milliseconds: Int64, bytes: Int64? = nil, retries: Int = 0,
        outcome: RunOutcome = .pass, code: String? = nil
    ) {
        (self.name, self.startMilliseconds, self.milliseconds) = (name, startMilliseconds, milliseconds)
        (self.bytes, self.retries, self.outcome, self.code) = (bytes, retries, outcome, code)
        if let bytes, milliseconds > 0 { kilobytesPerSecond = (Double(bytes) / Double(milliseconds) * 10).rounded() / 10 }
    }
}
