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

    func claim(unit: String, run: RunID) async throws(ClaimError) -> any UnitClaim {
        let asked = clock.now
        let grant: LeaseGrant
        do {
            grant = try await server.take(unit: unit, run: run, timeToLive: times.timeToLive)
        } catch {
            guard policy == .prefer else { throw .notAsked(unit: unit, reason: error.reason) }
            return LocalClaim(unclaimed: error.reason)
        }
        switch grant {
        case .granted(let token):
            let claim = ServerClaim(server, clock, unit: unit, run: run, token: token, lease: Lease(times: times, asked: asked))
            claim.keepRenewing()
            return claim
        case .taken(let station, let until): throw .taken(unit: unit, station: station, until: until)
        }
    }
}
