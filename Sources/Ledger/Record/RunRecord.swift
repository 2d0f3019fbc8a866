/// The ledger's record of one run of one verb on one unit. It holds codes instead of messages, and never a key or a password.
///
/// A new field needs a property here and a row in ``RunColumn/all``.
public struct RunRecord: Sendable, Hashable {
    public static let currentSchema = 2

    public internal(set) var id = RunID.none
    public var schema = currentSchema
    /// Grows with each change: an older state never replaces a newer one.
    public var revision = 1
    public var station: String
    /// Assigned when the run is closed: without gaps for each station and epoch.
    public var seq: Int64?
    /// The random name of the file that assigned `seq`: a restored disk gets a new one.
    public var epoch: String?
    public var fixture: String?
    /// The adapter's address, which stays when `hciN` changes.
    public var adapter: String?
    public var operatorName: String?
    public var workOrder: String?
    public var part: String?
    public var batch: String?
    public var unitAddress: String
    public var serial: String?
    public var family: String
    public var verb: String
    /// The first run of this verb on this unit at this station.
    public var attemptOf: RunID?
    public var startedAt = UTCTime(microseconds: 0)
    public var endedAt: UTCTime?
    /// By the monotonic clock; `nil` while the run goes on, or when its process ended first.
    public var elapsedMilliseconds: Int64?
    public var outcome: RunOutcome?
    public var blame: Blame?
    /// The first error's.
    public var code: String?
    public var retries = 0
    public var versionsBefore: [String: String] = [:]
    public var versionsAfter: [String: String] = [:]
    public var bundleDigest: String?
    /// The fingerprint of the key that signed the bundle.
    public var bundleSigner: String?
    /// SHA-256 of what was sent, by component; while the run goes on, of what may be.
    public var digests: [String: String] = [:]
    public var toolVersion: String
    public var host: String
    /// JSON.
    public var plan: String?
    public var steps: [RunStep] = []
    /// At the start, in dBm.
    public var rssi: Int?
    public var battery: Int?
    /// `nil` without a server.
    public var claim: ClaimState?
    /// The claim's; it reveals two runs of one unit that overlapped.
    public var claimToken: Int64?

    public init(station: String, unitAddress: String, family: String, verb: String, toolVersion: String, host: String) {
        (self.station, self.unitAddress, self.family) = (station, unitAddress, family)
        (self.verb, self.toolVersion, self.host) = (verb, toolVersion, host)
    }

    public var isOpen: Bool { outcome == nil }

    /// The form to keep: printable texts that fit a line of the spool.
    public var bounded: RunRecord { RunColumn.all.reduce(into: self) { $1.bound(&$0) } }

    public func begun(as id: RunID, at time: UTCTime) -> RunRecord {
        var record = self
        (record.id, record.startedAt) = (id, time)
        return record
    }

    public mutating func close(_ verdict: RunVerdict, at time: UTCTime, elapsed: Duration?) {
        (outcome, blame, code) = (verdict.outcome, verdict.blame, verdict.code)
        endedAt = time
        elapsedMilliseconds = elapsed?.wholeMilliseconds
        revision &+= 1
    }
}

extension RunRecord: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(station: "-", unitAddress: "-", family: "-", verb: "-", toolVersion: "-", host: "-")
        let container = try decoder.container(keyedBy: RunColumn.Name.self)
        for column in RunColumn.all { try column.decode(&self, container) }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: RunColumn.Name.self)
        for column in RunColumn.all { try column.encode(self, &container) }
    }
}

/// A finished step of a run.
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

    var bounded: RunStep {
        var step = self
        step.name = RecordText.required(name)
        step.code = RecordText.optional(code)
        if let speed = kilobytesPerSecond, !speed.isFinite { step.kilobytesPerSecond = nil }
        return step
    }
}

extension Duration {
    /// Between 0 and 30,000 years.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(0, min(max(seconds, -1), 1_000_000_000_000) * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
