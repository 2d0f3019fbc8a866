import Ledger
import Support

/// What gives leases.
protocol LeaseServer: Sendable {
    func take(unit: String, run: RunID, timeToLive: Duration) async throws(ServerFault) -> LeaseGrant
    /// - Returns: whether the unit is still this run's.
    func renew(unit: String, run: RunID, token: Int64, timeToLive: Duration) async throws(ServerFault) -> Bool
    func release(unit: String, run: RunID, token: Int64) async throws(ServerFault)
}

enum LeaseGrant: Sendable, Hashable {
    case granted(token: Int64)
    case taken(station: String, until: UTCTime)
}

/// The functions of the server's schema.
struct PostgreSQLLeases: LeaseServer {
    let lane: ServerLane

    private static let takeLimit = Duration.seconds(8)
    private static let renewalLimit = Duration.seconds(8)
    private static let releaseLimit = Duration.seconds(3)

    func take(unit: String, run: RunID, timeToLive: Duration) async throws(ServerFault) -> LeaseGrant {
        let sql = """
            SELECT granted, token, holder, (extract(epoch FROM greatest(expires_at, 'epoch')) * 1000000)::bigint
            FROM noafw.take($1, $2::uuid, $3::double precision)
            """
        let parameters = [unit, "\(run)", Self.seconds(timeToLive)]
        return try await lane.ask(within: Self.takeLimit) { connection, deadline throws(ServerFault) in
            let row = try connection.execute(sql, parameters, until: deadline).rows.first ?? []
            guard row.count == 4, let token = row[1].flatMap({ Int64($0) }), let until = row[3].flatMap({ Int64($0) }) else {
                throw .lost("the server's answer makes no sense")
            }
            return row[0] == "t" ? .granted(token: token) : .taken(station: RecordText.required(row[2] ?? ""), until: UTCTime(microseconds: until))
        }
    }

    func renew(unit: String, run: RunID, token: Int64, timeToLive: Duration) async throws(ServerFault) -> Bool {
        let parameters = [unit, "\(run)", "\(token)", Self.seconds(timeToLive)]
        return try await lane.ask(within: Self.renewalLimit) { connection, deadline throws(ServerFault) in
            let sql = "SELECT noafw.renew($1, $2::uuid, $3::bigint, $4::double precision)"
            return try connection.execute(sql, parameters, until: deadline).rows.first?.first == "t"
        }
    }

    func release(unit: String, run: RunID, token: Int64) async throws(ServerFault) {
        try await lane.ask(within: Self.releaseLimit) { connection, deadline throws(ServerFault) in
            _ = try connection.execute("SELECT noafw.release($1, $2::uuid, $3::bigint)", [unit, "\(run)", "\(token)"], until: deadline)
        }
    }

    private static func seconds(_ duration: Duration) -> String { "\(duration / .seconds(1))" }
}
