import Ledger
import Support

/// The ledger's server, as one station uses it. Nothing is asked before it is needed.
public struct StationServer: Sendable {
    private let leases: PostgreSQLLeases
    private let runs: PostgreSQLRuns
    private let station: String
    private let times: LeaseTimes
    private let silence = ServerSilence()

    /// - Parameters:
    ///   - text: `postgresql://HOST/DATABASE` or `service=NAME`, without a password.
    ///   - station: also its login on the server.
    ///   - environment: of the process: libpq's variables, and `HOME`.
    /// - Throws: where the address is no good, or a server on another machine does not have to prove itself.
    public init(_ text: String, station: String, environment: [String: String], times: LeaseTimes = LeaseTimes()) throws(ServerError) {
        let address = try ServerAddress(text, station: station, environment: environment)
        // Uploads must not hold renewals up.
        (leases, runs) = (PostgreSQLLeases(lane: ServerLane(address)), PostgreSQLRuns(lane: ServerLane(address)))
        (self.station, self.times) = (station, times)
    }

    /// The files that libpq reads for this address.
    public static func files(_ text: String, environment: [String: String]) -> [String] {
        ServerAddress.files(text, environment: environment)
    }

    /// Checks the server's form before a run begins.
    /// - Throws: ``ServerError``: a server that is not reached only where claims are required;
    ///   `CancellationError`.
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
