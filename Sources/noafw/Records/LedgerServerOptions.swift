import ArgumentParser
import LedgerServer

extension ClaimPolicy: ExpressibleByArgument {}

/// The server that the stations share.
struct LedgerServerOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("ledger"),
        help: ArgumentHelp(
            "Send the runs to this PostgreSQL, and claim each unit there: postgresql://HOST/DATABASE?sslrootcert=FILE, or service=NAME. No password stands in it. The default is NOAFW_LEDGER.",
            valueName: "server"))
    var server: String?

    @Option(help: ArgumentHelp("Without the server, work on units unclaimed (prefer) or not at all (require).", valueName: "how"))
    var claims = ClaimPolicy.prefer

    /// - Returns: `nil` where no server is named.
    /// - Throws: ``ServerError``, where it could not be trusted or its address is no good.
    func value(station: String, in context: CommandContext) throws -> StationServer? {
        guard let text = server ?? context.environment["NOAFW_LEDGER"], !text.isEmpty else { return nil }
        return try StationServer(text, station: station, environment: context.environment)
    }
}
