/// For a station without a server: the lock of this machine is all there is.
public struct LocalClaims: UnitClaims {
    public init() {}

    public func claim(unit: String, run: RunID) async throws(ClaimError) -> any UnitClaim { LocalClaim() }
}

/// What stands for a claim where nobody is asked.
public struct LocalClaim: UnitClaim {
    public let state: ClaimState?
    public var token: Int64? { nil }
    public var isHeld: Bool { true }
    public var mayBeginErase: Bool { true }

    public init(_ state: ClaimState? = nil) { self.state = state }

    public func beginErase() async throws(ClaimError) {}
    public func release() async {}
}
