import Support

/// Sends the closed runs of this station to the ledger's server.
public protocol RunUploads: Sendable {
    /// Sends what was not sent yet, in its order, again and again for at most `limit`; what is left goes the next time. Each run
    /// arrives once. A cancelled call ends at once.
    func send(within limit: Duration) async -> UploadReport

    /// As ``send(within:)``, but the first failure ends it, and after one nothing is tried before it is time again.
    func sendOnce(within limit: Duration) async -> UploadReport
}

/// What came of it.
public struct UploadReport: Sendable, Hashable {
    public var sent = 0
    /// Runs that the server refuses; they stay in this station's ledger.
    public var rejected: [RejectedRun] = []
    /// Runs that wait.
    public var left = 0
    /// Why they wait.
    public var failure: Diagnosis?
    /// Runs that cannot be sent, because they cannot be read.
    public var unreadable: LedgerNotice?

    public init() {}

    /// What a run says of it, once each.
    public var notices: [LedgerNotice] {
        let remedy = failure.flatMap { $0.category == .tryAgain ? nil : $0.remedy }
        let waiting: [LedgerNotice] = left > 0 ? [.unsent(runs: left, reason: failure?.message ?? "the time for sending was over", remedy: remedy)] : []
        return [unreadable].compactMap(\.self) + waiting + rejected.map { .rejected(run: "\($0.id)", reason: $0.reason) }
    }
}

public struct RejectedRun: Sendable, Hashable {
    public var id: RunID
    /// Of the server, printable.
    public var reason: String

    public init(id: RunID, reason: String) { (self.id, self.reason) = (id, RecordText.line(reason)) }
}

/// For a station without a server.
public struct NoUploads: RunUploads {
    public init() {}
    public func send(within limit: Duration) async -> UploadReport { UploadReport() }
    public func sendOnce(within limit: Duration) async -> UploadReport { UploadReport() }
}
