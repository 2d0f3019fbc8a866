import ArgumentParser
import LedgerServer

extension ClaimPolicy: ExpressibleByArgument {}

/// The server that the stations share.
struct LedgerServerOptions: ParsableArguments, FileNaming, Sendable {
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
        try address(in: context).map { text throws in try StationServer(text, station: station, environment: context.environment) }
    }

    private func address(in context: CommandContext) -> String? {
        (server ?? context.environment["NOAFW_LEDGER"]).flatMap { $0.isEmpty ? nil : $0 }
    }

    func uses(in context: CommandContext) -> [FileUse] {
        let files = address(in: context).map { StationServer.files($0, environment: context.environment) } ?? []
        return files.map { .read(context.path($0)) }
    }
}
