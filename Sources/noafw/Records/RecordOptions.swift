import ArgumentParser
import Ledger

/// What the records of a verb's runs say beside the unit.
struct RecordOptions: ParsableArguments, Sendable {
    @OptionGroup var server: LedgerServerOptions

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

    @Option(help: ArgumentHelp("The part number of the units.", valueName: "part"))
    var part: String?

    @Option(help: ArgumentHelp("The batch of the units.", valueName: "batch"))
    var batch: String?

    @Option(help: ArgumentHelp("The fixture that holds the unit.", valueName: "name"))
    var fixture: String?

    func validate() throws {
        let given = [
            ("--station", station), ("--operator", operatorName), ("--serial", serial), ("--order", order), ("--part", part),
            ("--batch", batch), ("--fixture", fixture),
        ]
        for (name, text) in given {
            guard let text, RecordText.line(text) != text || text.isEmpty else { continue }
            throw ValidationError("\(name) is 1 to \(RecordText.limit) printable characters, without blanks at its ends.")
        }
        if rebindSerial, serial == nil { throw ValidationError("--rebind-serial belongs to --serial.") }
    }

    /// - Throws: ``ServerError``, where the server could not be trusted or its address is no good.
    func value(in context: CommandContext) throws -> RecordInputs {
        var inputs = RecordInputs(context)
        if let station { inputs.station = station }
        (inputs.operatorName, inputs.serial, inputs.rebindsSerial) = (operatorName, serial, rebindSerial)
        (inputs.workOrder, inputs.part, inputs.batch, inputs.fixture) = (order, part, batch, fixture)
        inputs.server = try server.value(station: inputs.station, in: context)
        inputs.claimPolicy = server.claims
        return inputs
    }
}
