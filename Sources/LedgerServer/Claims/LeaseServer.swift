import Ledger
import Support

/// Grants leases. A cancelled call ends at once, except a release.
protocol LeaseServer: Sendable {
    /// - Parameter dead: a run of this station that no longer holds the unit.
    func take(_ request: ClaimRequest, over dead: RunID?, timeToLive: Duration) async throws(ServerFault) -> LeaseGrant
    /// - Returns: what prevents the binding; `nil` once the serial number is the unit's.
    func bind(_ serial: String, _ request: ClaimRequest) async throws(ServerFault) -> BoundSerial?
    func renew(unit: String, run: RunID, token: Int64, timeToLive: Duration) async throws(ServerFault) -> Bool
    /// Without an answer the lease ends by itself.
    func release(unit: String, run: RunID, token: Int64) async
}

enum LeaseGrant: Sendable, Hashable {
    case granted(token: Int64)
    case taken(station: String, until: UTCTime, run: RunID?)
}

struct BoundSerial: Sendable, Hashable {
    var binding: SerialBinding
    var station: String
}

struct PostgreSQLLeases: LeaseServer {
    let lane: ServerLane

    private static let takeLimit = Duration.seconds(8)
    private static let renewalLimit = Duration.seconds(8)
    private static let releaseLimit = Duration.seconds(3)
    private static let hurriedReleaseLimit = Duration.seconds(1)

    func take(_ request: ClaimRequest, over dead: RunID?, timeToLive: Duration) async throws(ServerFault) -> LeaseGrant {
        let sql = """
            SELECT granted, token, holder, (extract(epoch FROM greatest(expires_at, 'epoch')) * 1000000)::bigint, run
            FROM noafw.take($1, $2::uuid, $3::double precision, $4::uuid)
            """
        let parameters = [request.unit, "\(request.run)", Self.seconds(timeToLive), dead?.description]
        return try await lane.ask(within: Self.takeLimit) { connection, deadline throws(ServerFault) in
            let row = try connection.execute(sql, parameters, until: deadline).rows.first ?? []
            guard row.count == 5, let token = row[1].flatMap({ Int64($0) }), let until = row[3].flatMap({ Int64($0) }) else {
                throw .lost("the server's answer is invalid")
            }
            guard row[0] != "t" else { return .granted(token: token) }
            return .taken(
                station: RecordText.required(row[2] ?? ""), until: UTCTime(microseconds: until), run: row[4].flatMap { RunID($0) })
        }
    }

    func bind(_ serial: String, _ request: ClaimRequest) async throws(ServerFault) -> BoundSerial? {
        let sql = "SELECT serial, unit, run, station FROM noafw.bind($1, $2, $3::uuid, $4::boolean)"
        let parameters = [serial, request.unit, "\(request.run)", "\(request.rebindsSerial)"]
        return try await lane.ask(within: Self.takeLimit) { connection, deadline throws(ServerFault) in
            guard let row = try connection.execute(sql, parameters, until: deadline).rows.first else { return nil }
            let texts = row.map { RecordText.required($0 ?? "") }
            guard texts.count == 4 else { throw .lost("the server's answer is invalid") }
            return BoundSerial(binding: SerialBinding(serial: texts[0], unitAddress: texts[1], run: texts[2]), station: texts[3])
        }
    }

    func renew(unit: String, run: RunID, token: Int64, timeToLive: Duration) async throws(ServerFault) -> Bool {
        let parameters = [unit, "\(run)", "\(token)", Self.seconds(timeToLive)]
        return try await lane.ask(within: Self.renewalLimit) { connection, deadline throws(ServerFault) in
            let sql = "SELECT noafw.renew($1, $2::uuid, $3::bigint, $4::double precision)"
            return try connection.execute(sql, parameters, until: deadline).rows.first?.first == "t"
        }
    }

    func release(unit: String, run: RunID, token: Int64) async {
        await SessionClock.continuous.shielded(for: Self.releaseLimit, onceCancelled: Self.hurriedReleaseLimit) { [lane] in
            try await lane.ask(within: Self.releaseLimit) { connection, deadline throws(ServerFault) in
                _ = try connection.execute("SELECT noafw.release($1, $2::uuid, $3::bigint)", [unit, "\(run)", "\(token)"], until: deadline)
            }
        }
    }

    private static func seconds(_ duration: Duration) -> String { "\(duration / .seconds(1))" }
}
