/// One run of one verb on one unit, as the ledger keeps it. It holds codes instead of messages, and never a key or a password.
///
/// The names of its JSON form are the columns' names. A change of either is a new ``currentSchema``.
public struct RunRecord: Sendable, Hashable, Codable {
    public static let currentSchema = 2

    public let id: RunID
    public var schema = currentSchema
    /// Grows with each change, so that an older state never replaces a newer one, in whatever order they are written.
    public var revision = 1
    public let station: String
    /// Given when the run is closed: without gaps for each station and epoch.
    public var seq: Int64?
    /// Of the file that gave `seq`: random, so that a restored disk does not count on under the same name.
    public var epoch: String?
    public let fixture: String?
    public let adapter: String?
    public let operatorName: String?
    public let workOrder: String?
    public let part: String?
    public let batch: String?
    public var unitAddress: String
    public var serial: String?
    public var family: String
    public let verb: String
    /// The first run of this verb on this unit at this station.
    public var attemptOf: RunID?
    public var startedAt: UTCTime
    public var endedAt: UTCTime?
    /// By the monotonic clock; `nil` while the run goes on, and where its process ended before it.
    public var elapsedMilliseconds: Int64?
    /// `nil` while the run goes on.
    public var outcome: RunOutcome?
    public var blame: Blame?
    /// The first error's.
    public var code: String?
    public var retries = 0
    /// By component.
    public var versionsBefore: [String: String] = [:]
    public var versionsAfter: [String: String] = [:]
    public var bundleDigest: String?
    public var bundleSigner: String?
    /// SHA-256 of what was sent, by component.
    public var digests: [String: String] = [:]
    public let toolVersion: String
    public let host: String
    /// JSON.
    public var plan: String?
    public var steps: [RunStep] = []
    /// At the start, in dBm.
    public var rssi: Int?
    /// In percent.
    public var battery: Int?
    /// `nil` where no server is asked.
    public var claim: ClaimState?
    /// Of the claim; two runs of one unit that overlapped are found by it.
    public var claimToken: Int64?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case schema, id, revision, station, seq, epoch, fixture, adapter
        case operatorName = "operator"
        case workOrder = "work_order"
        case part, batch
        case unitAddress = "unit_address"
        case serial, family, verb
        case attemptOf = "attempt_of"
        case startedAt = "started_at"
        case endedAt = "ended_at"
        case elapsedMilliseconds = "elapsed_ms"
        case outcome, blame, code, retries
        case versionsBefore = "versions_before"
        case versionsAfter = "versions_after"
        case bundleDigest = "bundle_digest"
        case bundleSigner = "bundle_signer"
        case digests
        case toolVersion = "tool_version"
        case host, plan, steps, rssi, battery, claim
        case claimToken = "claim_token"
    }

    public init(_ start: RunStart, id: RunID, startedAt: UTCTime) {
        (self.id, self.startedAt) = (id, startedAt)
        station = RecordText.required(start.station)
        fixture = RecordText.optional(start.fixture)
        adapter = RecordText.optional(start.adapter)
        operatorName = RecordText.optional(start.operatorName)
        workOrder = RecordText.optional(start.workOrder)
        part = RecordText.optional(start.part)
        batch = RecordText.optional(start.batch)
        (unitAddress, serial, family) = (start.unitAddress, start.serial, start.family)
        verb = RecordText.required(start.verb)
        (bundleDigest, bundleSigner) = (start.bundleDigest, start.bundleSigner)
        toolVersion = RecordText.required(start.toolVersion)
        host = RecordText.required(start.host)
        (plan, rssi) = (start.plan, start.rssi)
    }

    public var isOpen: Bool { outcome == nil }

    /// - Parameter elapsed: `nil` where it was not measured.
    public mutating func close(_ verdict: RunVerdict, at time: UTCTime, elapsed: Duration?) {
        (outcome, blame, code) = (verdict.outcome, verdict.blame, verdict.code)
        endedAt = time
        elapsedMilliseconds = elapsed?.wholeMilliseconds
        revision &+= 1
    }
}

extension Duration {
    /// Between 0 and 30,000 years.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(0, min(max(seconds, -1), 1_000_000_000_000) * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
