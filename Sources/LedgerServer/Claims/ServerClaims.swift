import Ledger
import Support
import Synchronization

/// What to do with a unit when no server answers.
public enum ClaimPolicy: String, Sendable, CaseIterable {
    /// Work under this machine's lock alone, and record the unit as `unclaimed`.
    case prefer
    case require
}

struct ServerClaims: UnitClaims {
    let server: any LeaseServer
    let policy: ClaimPolicy
    var times = LeaseTimes()
    var clock = SessionClock.continuous
    var silence = ServerSilence()

    func claim(_ request: ClaimRequest) async throws(ClaimError) -> any UnitClaim {
        let goesOn = policy == .prefer
        if goesOn, let reason = silence.reason(at: clock.now) { return LocalClaim(unclaimed: reason) }
        let asked = clock.now
        let answer: Result<any UnitClaim, ClaimError>
        do {
            answer = try await ask(request)
        } catch {
            // An interrupted wait says nothing about the server.
            if !Task.isCancelled { silence.note(error, asked: asked, now: clock.now) }
            guard goesOn else { throw .notAsked(unit: request.unit, reason: error.reason, remedy: error.remedy) }
            return LocalClaim(unclaimed: error.reason)
        }
        return try answer.get()
    }

    private func ask(_ request: ClaimRequest) async throws(ServerFault) -> Result<any UnitClaim, ClaimError> {
        var asked = clock.now
        var grant = try await server.take(request, over: nil, timeToLive: times.timeToLive)
        // This station's own lease, left by a kill or a lost release.
        if case .taken(_, _, let holder) = grant, let holder, await request.isOver(holder) {
            asked = clock.now
            grant = try await server.take(request, over: holder, timeToLive: times.timeToLive)
        }
        switch grant {
        case .granted(let token):
            if let conflict = try await bind(request, token) { return .failure(conflict) }
            let claim = ServerClaim(
                server, clock, unit: request.unit, run: request.run, token: token, lease: Lease(times: times, asked: asked))
            claim.keepRenewing()
            return .success(claim)
        case .taken(let station, let until, _): return .failure(.taken(unit: request.unit, station: station, until: until))
        }
    }

    /// Releases a unit whose serial number is not its own.
    private func bind(_ request: ClaimRequest, _ token: Int64) async throws(ServerFault) -> ClaimError? {
        guard let serial = request.serial else { return nil }
        let answer: Result<BoundSerial?, ServerFault>
        do { answer = .success(try await server.bind(serial, request)) } catch { answer = .failure(error) }
        if case .success(nil) = answer { return nil }
        await server.release(unit: request.unit, run: request.run, token: token)
        return try answer.get().map { .serialBound(serial: serial, unit: request.unit, known: $0.binding, station: $0.station) }
    }
}

/// Remembers for a minute that the server did not answer, so that not every unit waits.
final class ServerSilence: Sendable {
    static let pause = Duration.seconds(60)
    /// A server that refuses a connection at once delays no unit.
    private static let patience = Duration.seconds(2)

    private let told = Mutex<(until: SessionClock.Instant, reason: String)?>(nil)

    /// - Returns: why not to ask the server now; `nil` to ask it.
    func reason(at now: SessionClock.Instant) -> String? {
        told.withLock { told in told.flatMap { now < $0.until ? $0.reason : nil } }
    }

    func note(_ fault: ServerFault, asked: SessionClock.Instant, now: SessionClock.Instant) {
        guard case .lost(let reason) = fault, asked.duration(to: now) >= Self.patience else { return }
        told.withLock { $0 = (now.advanced(by: Self.pause), reason) }
    }
}
