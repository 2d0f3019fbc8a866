import Ledger
import Support
import Synchronization
import Testing

@testable import LedgerServer

/// Leases by the station's own clock.
@Suite struct ClaimTests {
    private let clock = ManualClock()
    private let server = StubLeases()

    private func claim(_ policy: ClaimPolicy = .prefer) async throws -> any UnitClaim {
        try await ServerClaims(server: server, policy: policy, clock: clock.clock).claim(
            ClaimRequest(unit: "AA", run: RunIDGenerator().next()))
    }

    @Test func aLeaseIsHeldForItsTimeAndErasesNeedAPeriodMore() {
        var lease = Lease(times: LeaseTimes(), asked: .init(offset: .seconds(10)))
        func at(_ seconds: Double) -> SessionClock.Instant { .init(offset: .seconds(seconds)) }
        #expect(lease.isHeld(at: at(99.9)) && !lease.isHeld(at: at(100)))
        #expect(lease.mayBeginErase(at: at(70)) && !lease.mayBeginErase(at: at(70.1)))
        lease.note(.unknown, asked: at(50))
        #expect(!lease.isHeld(at: at(100)))
        lease.note(.renewed, asked: at(50))
        #expect(lease.isHeld(at: at(139)) && lease.mayBeginErase(at: at(110)))
        // An answer that comes late does not shorten it.
        lease.note(.renewed, asked: at(40))
        #expect(lease.isHeld(at: at(139)))
        lease.note(.refused, asked: at(60))
        #expect(!lease.isHeld(at: at(61)) && !lease.mayBeginErase(at: at(61)))
        lease.note(.renewed, asked: at(62))
        #expect(!lease.isHeld(at: at(63)))
    }

    /// The server counts from later on, so a slow answer costs the station, never its neighbour.
    @Test func aLeaseCountsFromBeforeTheRequest() async throws {
        server.onTake = { [clock] in clock.advance(.seconds(5)) }
        let claim = try await claim()
        server.failure = .lost("away")
        clock.advance(.seconds(84))
        #expect(claim.isHeld)
        clock.advance(.seconds(1))
        #expect(!claim.isHeld && claim.state == .lost && claim.token == 7)
        await claim.release()
    }

    @Test func itIsRenewedInTheBackground() async throws {
        let claim = try await claim()
        for round in 1...5 {
            await clock.untilSomebodyWaits()
            clock.advance(.seconds(30))
            await server.untilRenewed(round)
        }
        await clock.untilSomebodyWaits()
        #expect(claim.isHeld && claim.mayBeginErase)
        await claim.release()
        await claim.release()
        #expect(server.calls.filter { $0 == "release 7" }.count == 1)
    }

    @Test func aServerThatIsAwayIsAskedAgainSooner() async throws {
        server.failure = .lost("away")
        let claim = try await claim2()
        await clock.untilSomebodyWaits()
        clock.advance(.seconds(30))
        await server.untilRenewed(1)
        for round in 2...5 {
            await clock.untilSomebodyWaits()
            clock.advance(.seconds(5))
            await server.untilRenewed(round)
        }
        #expect(claim.isHeld && claim.mayBeginErase)
        server.failure = nil
        await clock.untilSomebodyWaits()
        clock.advance(.seconds(5))
        await server.untilRenewed(6)
        await claim.release()
    }

    /// As ``claim(_:)``, of a server that fails from then on.
    private func claim2() async throws -> any UnitClaim {
        let failure = server.failure
        server.failure = nil
        defer { server.failure = failure }
        return try await claim()
    }

    @Test func noEraseBeginsWithLessThanAPeriodLeft() async throws {
        server.failure = .lost("away")
        let claim = try await claim2()
        clock.advance(.seconds(60))
        try await claim.beginErase()
        clock.advance(.milliseconds(1))
        #expect(claim.isHeld && !claim.mayBeginErase)
        await #expect(throws: ClaimError.runsOut(unit: "AA")) { try await claim.beginErase() }
        server.failure = nil
        try await claim.beginErase()
        #expect(claim.mayBeginErase)
        await claim.release()
    }

    @Test func aUnitThatChangedHandsIsNotErasedAgain() async throws {
        let claim = try await claim()
        server.isRefusing = true
        await clock.untilSomebodyWaits()
        clock.advance(.seconds(30))
        await server.untilRenewed(1)
        for _ in 0..<1000 where claim.isHeld { await Task.yield() }
        #expect(!claim.isHeld && claim.state == .lost)
        server.isRefusing = false
        let asked = server.calls.count
        await #expect(throws: ClaimError.runsOut(unit: "AA")) { try await claim.beginErase() }
        #expect(server.calls.count == asked, "another station has it: there is nothing to ask")
        await claim.release()
    }

    @Test func withoutAServerTheOperatorSaysWhatHappens() async throws {
        server.failure = .lost("no answer in time")
        let claim = try await self.claim(.prefer)
        #expect(claim.state == .unclaimed && claim.token == nil && claim.mayBeginErase)
        let error = await #expect(throws: ClaimError.self) { try await self.claim(.require) }
        #expect(error == .notAsked(unit: "AA", reason: "no answer in time") && error?.diagnosis.category == .tryAgain)
    }

    // MARK: - A server that hangs

    /// The first wait is remembered for a minute: the other units of the command do not wait again.
    @Test func aServerThatHangsIsNotAskedForEachUnit() async throws {
        server.failure = .lost("no answer in time")
        server.onTake = { [clock] in clock.advance(.seconds(8)) }
        let claims = ServerClaims(server: server, policy: .prefer, clock: clock.clock)
        let request = { ClaimRequest(unit: "AA", run: RunIDGenerator().next()) }
        for _ in 0..<5 {
            let claim = try await claims.claim(request())
            #expect(claim.state == .unclaimed && claim.notice == .unclaimed(reason: "no answer in time"))
        }
        #expect(server.calls == ["take"] && clock.clock.now.offset == .seconds(8))
        clock.advance(ServerSilence.pause)
        server.failure = nil
        #expect(try await claims.claim(request()).state == .held)
        #expect(server.calls == ["take", "take"])
    }

    /// What costs no time is asked each time, and so is a server without which no unit is worked on.
    @Test(arguments: [(ClaimPolicy.prefer, 0), (.require, 8)]) func everyOtherServerIs(policy: ClaimPolicy, seconds: Int) async throws {
        server.failure = .lost("connection refused")
        server.onTake = { [clock] in clock.advance(.seconds(seconds)) }
        let claims = ServerClaims(server: server, policy: policy, clock: clock.clock)
        for _ in 0..<3 { _ = try? await claims.claim(ClaimRequest(unit: "AA", run: RunIDGenerator().next())) }
        #expect(server.calls == ["take", "take", "take"])
    }

    // MARK: - A claim that was left

    @Test(arguments: [true, false]) func theClaimOfADeadRunIsTakenOver(isOver: Bool) async throws {
        let dead = RunIDGenerator().next()
        server.taken = .taken(station: "line-1", until: UTCTime(microseconds: 5_000_000), run: dead)
        let request = ClaimRequest(unit: "AA", run: RunIDGenerator().next(), isOver: { $0 == dead && isOver })
        let claim = try? await ServerClaims(server: server, policy: .prefer, clock: clock.clock).claim(request)
        #expect(claim?.token == (isOver ? 8 : nil))
        #expect(server.calls == (isOver ? ["take", "take over \(dead)"] : ["take"]))
    }

    // MARK: - Serial numbers

    @Test(arguments: ClaimPolicy.allCases) func aSerialNumberOfAnotherUnitGivesTheUnitFree(policy: ClaimPolicy) async throws {
        let known = BoundSerial(binding: SerialBinding(serial: "SN1", unitAddress: "BB", run: "RUN"), station: "line-2")
        server.bound = known
        var request = ClaimRequest(unit: "AA", run: RunIDGenerator().next(), serial: "SN1")
        let claims = ServerClaims(server: server, policy: policy, clock: clock.clock)
        let error = await #expect(throws: ClaimError.self) { try await claims.claim(request) }
        #expect(error == .serialBound(serial: "SN1", unit: "AA", known: known.binding, station: "line-2"))
        #expect(error?.diagnosis.code == "LED-0103" && error?.diagnosis.category == .badData)
        #expect(server.calls == ["take", "bind SN1", "release 7"])
        server.bound = nil
        request.rebindsSerial = true
        let claim = try await claims.claim(request)
        #expect(claim.state == .held && server.calls.suffix(2) == ["take", "bind SN1 anew"])
    }

    @Test(arguments: ClaimPolicy.allCases)
    func anotherStationsUnitIsLeftAloneWhateverTheOperatorSays(policy: ClaimPolicy) async throws {
        server.taken = .taken(station: "line-2", until: UTCTime(microseconds: 5_000_000), run: nil)
        await #expect(throws: ClaimError.taken(unit: "AA", station: "line-2", until: UTCTime(microseconds: 5_000_000))) {
            try await claim(policy)
        }
    }

    @Test func aClaimThatIsForgottenIsNotRenewed() async throws {
        var claim: (any UnitClaim)? = try await claim()
        await clock.untilSomebodyWaits()
        #expect(claim?.isHeld == true)
        claim = nil
        clock.advance(.seconds(30))
        for _ in 0..<200 { await Task.yield() }
        #expect(server.calls == ["take"])
    }
}

/// Leases that a test gives.
final class StubLeases: LeaseServer {
    private struct State {
        var calls: [String] = []
        var failure: ServerFault?
        var isRefusing = false
        var taken: LeaseGrant?
        var bound: BoundSerial?
        var onTake: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    var calls: [String] { state.withLock(\.calls) }
    var failure: ServerFault? {
        get { state.withLock(\.failure) }
        set { state.withLock { $0.failure = newValue } }
    }
    var isRefusing: Bool {
        get { state.withLock(\.isRefusing) }
        set { state.withLock { $0.isRefusing = newValue } }
    }
    var taken: LeaseGrant? {
        get { state.withLock(\.taken) }
        set { state.withLock { $0.taken = newValue } }
    }
    var bound: BoundSerial? {
        get { state.withLock(\.bound) }
        set { state.withLock { $0.bound = newValue } }
    }
    var onTake: @Sendable () -> Void {
        get { state.withLock(\.onTake) }
        set { state.withLock { $0.onTake = newValue } }
    }

    func untilRenewed(_ count: Int) async {
        while calls.filter({ $0 == "renew 7" }).count < count { await Task.yield() }
    }

    private func note(_ call: String) throws(ServerFault) {
        state.withLock { $0.calls.append(call) }
        if let failure { throw failure }
    }

    func take(_ request: ClaimRequest, over dead: RunID?, timeToLive: Duration) async throws(ServerFault) -> LeaseGrant {
        onTake()
        try note(dead.map { "take over \($0)" } ?? "take")
        return dead == nil ? taken ?? .granted(token: 7) : .granted(token: 8)
    }

    func renew(unit: String, run: RunID, token: Int64, timeToLive: Duration) async throws(ServerFault) -> Bool {
        try note("renew \(token)")
        return !isRefusing
    }

    func bind(_ serial: String, _ request: ClaimRequest) async throws(ServerFault) -> BoundSerial? {
        try note("bind \(serial)\(request.rebindsSerial ? " anew" : "")")
        return bound
    }

    func release(unit: String, run: RunID, token: Int64) async { try? note("release \(token)") }
}

/// A clock that a test moves.
final class ManualClock: Sendable {
    private struct Waiting {
        let due: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Duration.zero
        var next = 0
        var waiting: [Int: Waiting] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    var clock: SessionClock { SessionClock(now: { self.state.withLock(\.now) }, sleepUntil: { try await self.sleep(until: $0) }) }

    func advance(_ duration: Duration) {
        let due = state.withLock { state -> [Waiting] in
            state.now += duration
            let due = state.waiting.filter { $0.value.due <= state.now }
            for key in due.keys { state.waiting[key] = nil }
            return Array(due.values)
        }
        due.forEach { $0.continuation.resume() }
    }

    func untilSomebodyWaits() async {
        while state.withLock(\.waiting.isEmpty) { await Task.yield() }
    }

    private func sleep(until due: Duration) async throws {
        let key = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if state.cancelled.contains(key) { return .failure(CancellationError()) }
                    if due <= state.now { return .success(()) }
                    state.waiting[key] = Waiting(due: due, continuation: continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.cancelled.insert(key)
                return state.waiting.removeValue(forKey: key)
            }
            waiting?.continuation.resume(throwing: CancellationError())
        }
    }
}
