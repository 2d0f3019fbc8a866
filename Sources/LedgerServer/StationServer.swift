import Ledger
import Support

/// One station's use of the ledger's server. Connects only when needed.
public struct StationServer: Sendable {
    private let leases: PostgreSQLLeases
    private let runs: PostgreSQLRuns
    private let station: String
    private let times: LeaseTimes
    private let silence = ServerSilence()

    /// - Parameters:
    ///   - text: `postgresql://HOST/DATABASE` or `service=NAME`, without a password.
    ///   - station: also its login on the server.
    ///   - environment: the process's: libpq's variables, and `HOME`.
    /// - Throws: when the address is invalid, or a server on another machine need not prove its identity.
    public init(_ text: String, station: String, environment: [String: String], times: LeaseTimes = LeaseTimes()) throws(ServerError) {
        let address = try ServerAddress(text, station: station, environment: environment)
        // Uploads must not delay renewals.
        (leases, runs) = (PostgreSQLLeases(lane: ServerLane(address)), PostgreSQLRuns(lane: ServerLane(address)))
        (self.station, self.times) = (station, times)
    }

    /// The files that libpq reads for this address.
    public static func files(_ text: String, environment: [String: String]) -> [String] {
        ServerAddress.files(text, environment: environment)
    }

    /// Checks the server's form before a run begins.
    /// - Throws: ``ServerError``, for an unreachable server only when claims are required; `CancellationError`.
    public func check(_ policy: ClaimPolicy, within limit: Duration = .seconds(8)) async throws {
        let (clock, asked) = (SessionClock.continuous, SessionClock.continuous.now)
        do throws(ServerFault) {
            try await leases.lane.ask(within: min(limit, .seconds(8))) { _, _ throws(ServerFault) in }
        } catch {
            try Task.checkCancellation()
            silence.note(error, asked: asked, now: clock.now)
            if error.kind != .passing || policy == .require { throw error.error }
        }
    }

    public func claims(_ policy: ClaimPolicy) -> any UnitClaims {
        ServerClaims(server: leases, policy: policy, times: times, silence: silence)
    }

    public func uploads(from outbox: any RunOutbox) -> any RunUploads { ServerUploads(runs, outbox: outbox, station: station) }
}
