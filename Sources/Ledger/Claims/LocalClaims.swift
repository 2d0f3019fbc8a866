/// For a station without a server: the lock of this machine is all there is.
public struct LocalClaims: UnitClaims {
    public init() {}

    public func claim(_ request: ClaimRequest) async throws(ClaimError) -> any UnitClaim { LocalClaim() }
}

/// What stands for a claim where nobody is asked.
public struct LocalClaim: UnitClaim {
    /// Why the server could not be asked; `nil` where none is to be.
    private let reason: String?
    public var state: ClaimState? { reason.map { _ in .unclaimed } }
    public var notice: LedgerNotice? { reason.map { .unclaimed(reason: $0) } }
    public var token: Int64? { nil }
    public var isHeld: Bool { true }
    public var mayBeginErase: Bool { true }

    public init(unclaimed reason: String? = nil) { self.reason = reason }

    public func beginErase() async throws(ClaimError) {}
    public func release() async {}
}
