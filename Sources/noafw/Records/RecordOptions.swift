import ArgumentParser
import Ledger
import LedgerServer

/// What the record of a run says besides its unit.
struct RecordOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The name of this station. The default is NOAFW_STATION, else the name of the host.", valueName: "name"))
    var station: String?

    @Option(name: .customLong("operator"), help: ArgumentHelp("Who runs the station.", valueName: "name"))
    var operatorName: String?

    @Option(help: ArgumentHelp("The unit's serial number.", valueName: "number"))
    var serial: String?

    @Flag(help: "Give the unit this serial number although the ledger has it for another unit, or another one for this unit.")
    var rebindSerial = false

    @Option(help: ArgumentHelp("The work order.", valueName: "order"))
    var order: String?

    @Option(help: ArgumentHelp("Record this part number of the units (--only selects components).", valueName: "number"))
    var part: String?

    @Option(help: ArgumentHelp("The batch of the units.", valueName: "batch"))
    var batch: String?

    @Option(help: ArgumentHelp("The fixture that holds the unit.", valueName: "name"))
    var fixture: String?

    private var fields: [(option: String, text: String?, field: WritableKeyPath<RunRecord, String?>)] {
        [
            ("--operator", operatorName, \.operatorName), ("--serial", serial, \.serial), ("--order", order, \.workOrder),
            ("--part", part, \.part),
            ("--batch", batch, \.batch), ("--fixture", fixture, \.fixture),
        ]
    }

    func validate() throws {
        for (option, text) in [("--station", station)] + fields.map({ ($0.option, $0.text) }) {
            guard let text, RecordText.line(text) != text || text.isEmpty else { continue }
            throw ValidationError("\(option) is 1 to \(RecordText.limit) printable characters, without blanks at its ends.")
        }
        if rebindSerial, serial == nil { throw ValidationError("--rebind-serial needs --serial.") }
    }

    /// - Throws: ``ServerError``, where the server could not be trusted or its address is no good.
    func value(with server: LedgerServerOptions, in context: CommandContext) throws -> RecordInputs {
        var inputs = RecordInputs(context)
        if let station { inputs.station = station }
        for (_, text, field) in fields { inputs.record[keyPath: field] = text }
        inputs.rebindsSerial = rebindSerial
        inputs.server = try server.value(station: inputs.station, in: context)
        inputs.claimPolicy = server.claims
        return inputs
    }
}

extension ClaimPolicy: ExpressibleByArgument {}

/// The server that the stations share.
struct LedgerServerOptions: ParsableArguments, FileNaming, Sendable {
    @Option(
        name: .customLong("ledger"),
        help: ArgumentHelp(
            "Send the runs to this PostgreSQL, and claim each unit there: postgresql://HOST/DATABASE?sslrootcert=FILE, or "
                + "service=NAME. It contains no password. The default is NOAFW_LEDGER.",
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
