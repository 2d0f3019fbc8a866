import Support

/// The closed runs that the server lacks.
public protocol RunOutbox: Sendable {
    func unsent(station: String, limit: Int) async throws(LedgerError) -> [RunRecord]
    func unsentCount(station: String) async throws(LedgerError) -> Int
    func markSent(_ ids: [RunID]) async throws(LedgerError)
    /// It is no longer sent automatically.
    func markRejected(_ run: RejectedRun) async throws(LedgerError)
    /// `nil` before the first run.
    func lastNumber(station: String) async throws(LedgerError) -> RunNumber?
    /// Runs that cannot be sent because they cannot be read.
    var unreadable: LedgerNotice? { get }
}

/// A station's last run number.
public struct RunNumber: Sendable, Hashable {
    public var epoch: String
    public var seq: Int64

    public init(epoch: String, seq: Int64) { (self.epoch, self.seq) = (epoch, seq) }
}

/// Sends this station's closed runs to the ledger's server.
public protocol RunUploads: Sendable {
    /// Sends the waiting runs in order, repeatedly, for at most `limit`; the next call sends the rest. Each run arrives once. A cancelled
    /// call ends at once.
    func send(within limit: Duration) async -> UploadReport

    /// Like ``send(within:)``, but the first failure ends it, and nothing is tried again before it is time.
    func sendOnce(within limit: Duration) async -> UploadReport
}

public struct UploadReport: Sendable, Hashable {
    public var sent = 0
    /// Runs that the server refuses; they stay in this station's ledger.
    public var rejected: [RejectedRun] = []
    public var left = 0
    public var failure: Diagnosis?
    /// Runs that cannot be sent because they cannot be read.
    public var unreadable: LedgerNotice?

    public init() {}

    public var notices: [LedgerNotice] {
        let remedy = failure.flatMap { $0.category == .tryAgain ? nil : $0.remedy }
        let waiting: [LedgerNotice] =
            left > 0 ? [.unsent(runs: left, reason: failure?.message ?? "the time for sending was over", remedy: remedy)] : []
        return [unreadable].compactMap(\.self) + waiting + rejected.map { .rejected(run: "\($0.id)", reason: $0.reason) }
    }
}

public struct RejectedRun: Sendable, Hashable {
    public var id: RunID
    public var reason: String

    public init(id: RunID, reason: String) { (self.id, self.reason) = (id, RecordText.line(reason)) }
}

public struct NoUploads: RunUploads {
    public init() {}
    public func send(within limit: Duration) async -> UploadReport { UploadReport() }
    public func sendOnce(within limit: Duration) async -> UploadReport { UploadReport() }
}
