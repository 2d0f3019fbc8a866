/// The last number that a station has given to a run.
public struct RunNumber: Sendable, Hashable {
    public var epoch: String
    public var seq: Int64

    public init(epoch: String, seq: Int64) { (self.epoch, self.seq) = (epoch, seq) }
}

/// The closed runs that the server has not got yet.
public protocol RunOutbox: Sendable {
    /// What waits, in the order of `seq`: at most so many runs.
    func unsent(station: String, limit: Int) async throws(LedgerError) -> [RunRecord]
    func unsentCount(station: String) async throws(LedgerError) -> Int
    /// The server has said that it has them.
    func markSent(_ ids: [RunID]) async throws(LedgerError)
    /// They are not sent again before ``retryRejected(station:)``.
    func markRejected(_ runs: [RejectedRun]) async throws(LedgerError)
    /// - Returns: how many wait again.
    @discardableResult
    func retryRejected(station: String) async throws(LedgerError) -> Int
    /// What the server has refused, in the order of `seq`.
    func rejected(station: String) async throws(LedgerError) -> [RejectedRun]
    /// How many runs wait that other stations' names were given to, by these names.
    func unsentElsewhere(than station: String) async throws(LedgerError) -> [String: Int]
    /// `nil` before the first run.
    func lastNumber(station: String) async throws(LedgerError) -> RunNumber?
    /// What cannot be sent, because it cannot be read.
    var unreadable: LedgerNotice? { get }
}

extension RunOutbox {
    public func rejected(station: String) async throws(LedgerError) -> [RejectedRun] { [] }
    public func unsentElsewhere(than station: String) async throws(LedgerError) -> [String: Int] { [:] }
    public func lastNumber(station: String) async throws(LedgerError) -> RunNumber? { nil }
    public var unreadable: LedgerNotice? { nil }
}
