import Support

/// Records and reads runs. A cancelled task undoes nothing: the record of an interrupted run is the one that counts.
public protocol RunLedger: Sendable {
    /// Writes a run's record before its unit is touched, and closes runs that a dead process of this station left open.
    /// - Parameter rebindsSerial: the record's serial number may be another unit's.
    /// - Returns: the stored record, with its first attempt.
    /// - Throws: when the record cannot be kept, or its serial number is not the unit's: then no unit may be touched.
    func begin(_ record: RunRecord, rebindsSerial: Bool) async throws(LedgerError) -> Recorded

    /// Writes a later state of a record; ignores a state that is older than the stored one or follows its close.
    /// - Returns: the stored record; a closed one has its `seq`.
    func put(_ record: RunRecord) async throws(LedgerError) -> Recorded

    /// Removes the record of an open run that never had its unit.
    func withdraw(_ run: RunID) async -> Bool

    /// Whether a run of this station was closed or its process is dead. Unknown means no.
    func isOver(_ run: RunID, station: String) async -> Bool

    func runs(_ filter: RunFilter) async throws(LedgerError) -> [RunRecord]

    /// The unit's newest passed run of any verb.
    func lastPass(of unitAddress: String) async throws(LedgerError) -> PassedRun?

    /// - Returns: why a serial number is not the unit's; `nil` if it may be.
    func conflict(_ serial: String, at unitAddress: String) async throws(LedgerError) -> LedgerError?
}

public struct PassedRun: Sendable, Hashable {
    public var id: RunID
    public var verb: String
    public var endedAt: UTCTime

    public init(id: RunID, verb: String, endedAt: UTCTime) { (self.id, self.verb, self.endedAt) = (id, verb, endedAt) }
}

public struct Recorded: Sendable, Hashable {
    public var record: RunRecord
    public var notices: [LedgerNotice]

    public init(_ record: RunRecord, notices: [LedgerNotice] = []) { (self.record, self.notices) = (record, notices) }
}

/// Makes the times and identities of runs.
public struct LedgerClock: Sendable {
    public var now: @Sendable () -> UTCTime
    public var monotonic: SessionClock
    public var ids: RunIDGenerator

    public init(now: @escaping @Sendable () -> UTCTime = { .now }, monotonic: SessionClock = .continuous, ids: RunIDGenerator? = nil) {
        (self.now, self.monotonic) = (now, monotonic)
        self.ids = ids ?? RunIDGenerator(now: now)
    }
}

extension RunLedger {
    /// Opens a run's record, before its unit is claimed or touched.
    public func open(_ start: RunRecord, rebindsSerial: Bool = false, clock: LedgerClock) async throws(LedgerError) -> OpenRun {
        let record = start.begun(as: clock.ids.next(), at: clock.now()).bounded
        let begun = clock.monotonic.now
        return OpenRun(try await begin(record, rebindsSerial: rebindsSerial), ledger: self, clock: clock, begun: begun)
    }
}
