import Ledger
import Support

/// What happens to a unit when no server can be asked.
public enum ClaimPolicy: String, Sendable, CaseIterable {
    /// It is worked on under this machine's lock alone, and its record says `unclaimed`.
    case prefer
    /// It is not worked on.
    case require
}

/// Claims that the server keeps apart.
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
            // A wait that was cut short says nothing of the server.
            if !Task.isCancelled { silence.note(error, asked: asked, now: clock.now) }
            guard goesOn else { throw .notAsked(unit: request.unit, reason: error.reason, remedy: error.remedy) }
            return LocalClaim(unclaimed: error.reason)
        }
        return try answer.get()
    }

    private func ask(_ request: ClaimRequest) async throws(ServerFault) -> Result<any UnitClaim, ClaimError> {
        var asked = clock.now
        var grant = try await server.take(request, over: nil, timeToLive: times.timeToLive)
        // This station's own, left by a kill or by a release that did not arrive.
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

    /// A unit whose serial number is not its own is given free again.
    private func bind(_ request: ClaimRequest, _ token: Int64) async throws(ServerFault) -> ClaimError? {
        guard let serial = request.serial else { return nil }
        let answer: Result<BoundSerial?, ServerFault>
        do { answer = .success(try await server.bind(serial, request)) } catch { answer = .failure(error) }
        if case .success(nil) = answer { return nil }
        await server.release(unit: request.unit, run: request.run, token: token)
        return try answer.get().map { .serialBound(serial: serial, unit: request.unit, known: $0.binding, station: $0.station) }
    }
}
