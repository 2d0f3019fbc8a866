/// A run's claim request.
public struct ClaimRequest: Sendable {
    /// The application's address.
    public var unit: String
    public var run: RunID
    /// `nil` claims only the unit.
    public var serial: String?
    public var rebindsSerial: Bool
    /// Whether a run of this station has ended or lost its process, and so no longer holds its unit.
    public var isOver: @Sendable (RunID) async -> Bool

    public init(
        unit: String, run: RunID, serial: String? = nil, rebindsSerial: Bool = false,
        isOver: @escaping @Sendable (RunID) async -> Bool = { _ in false }
    ) {
        (self.unit, self.run, self.serial, self.rebindsSerial, self.isOver) = (unit, run, serial, rebindsSerial, isOver)
    }
}

/// Claims units for runs, so that two stations in earshot of each other never work on one unit.
public protocol UnitClaims: Sendable {
    /// Call it before the unit is touched. The claim is renewed until it is released or nothing refers to it. The wait is bounded, and
    /// ends with a cancelled task.
    /// - Throws: when another station works on the unit, when the serial number is not the unit's, or when a claim is required and no
    ///   server answers.
    func claim(_ request: ClaimRequest) async throws(ClaimError) -> any UnitClaim
}

/// One run's claim on one unit.
public protocol UnitClaim: Sendable {
    /// For the record; `nil` without a server.
    var state: ClaimState? { get }
    /// Grows each time the unit changes hands; `nil` for an unclaimed unit.
    var token: Int64? { get }
    var notice: LedgerNotice? { get }
    /// Whether the lease is valid by this machine's monotonic clock, counted from before the request.
    var isHeld: Bool { get }
    /// Whether enough of the lease is left to begin an erase.
    var mayBeginErase: Bool { get }

    /// Call it right before each erase. Renews a lease that is about to end.
    /// - Throws: ``ClaimError/runsOut(unit:)``: then erase nothing. An erase that has begun always goes on.
    func beginErase() async throws(ClaimError)

    /// Frees the unit if the server answers in time. A second call does nothing.
    func release() async
}

extension UnitClaim {
    public var notice: LedgerNotice? { nil }
}

/// Whether a run had its unit to itself.
public enum ClaimState: String, Sendable, Codable, CaseIterable {
    case held
    /// Another station may have worked on the unit before the run ended.
    case lost
    /// The server did not answer: only this machine's lock was held.
    case unclaimed
}

/// The lock of this machine, for a station without a server.
public struct LocalClaims: UnitClaims {
    public init() {}

    public func claim(_ request: ClaimRequest) async throws(ClaimError) -> any UnitClaim { LocalClaim() }
}

public struct LocalClaim: UnitClaim {
    /// Why the server did not answer; `nil` without one.
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
