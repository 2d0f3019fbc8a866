/// What a run claims.
public struct ClaimRequest: Sendable {
    /// The application's address.
    public var unit: String
    public var run: RunID
    /// `nil` claims the unit alone.
    public var serial: String?
    public var rebindsSerial: Bool
    /// Whether a run of this station has ended, or lost its process: then it holds its unit no more.
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
    /// Asks before the unit is touched. The claim is renewed until it is released, or nothing refers to it any more.
    /// The wait is bounded, and ends with a cancelled task.
    /// - Throws: where another station works on the unit, where the serial number is not the unit's, or where a claim is required and
    ///   no server answers.
    func claim(_ request: ClaimRequest) async throws(ClaimError) -> any UnitClaim
}

/// A claim on one unit, for one run.
public protocol UnitClaim: Sendable {
    /// For the record; `nil` where no server is asked.
    var state: ClaimState? { get }
    /// Grows each time the unit changes hands; `nil` for a unit that is not claimed.
    var token: Int64? { get }
    var notice: LedgerNotice? { get }
    /// Whether the lease goes on, by this machine's monotonic clock, counted from before the request.
    var isHeld: Bool { get }
    /// Whether so much of the lease is left that an erase may begin.
    var mayBeginErase: Bool { get }

    /// Asked right before each erase. Where little of the lease is left, it is renewed first.
    /// - Throws: ``ClaimError/runsOut(unit:)``: then nothing may be erased. An erase that has begun goes on whatever comes.
    func beginErase() async throws(ClaimError)

    /// Frees the unit, as far as the server is reached in time. A second call does nothing.
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
    /// The server could not be asked: only this machine's lock was held.
    case unclaimed
}

/// For a station without a server: it has only the lock of this machine.
public struct LocalClaims: UnitClaims {
    public init() {}

    public func claim(_ request: ClaimRequest) async throws(ClaimError) -> any UnitClaim { LocalClaim() }
}

public struct LocalClaim: UnitClaim {
    /// Why the server could not be asked; `nil` without one.
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
