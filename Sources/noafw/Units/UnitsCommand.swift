import ArgumentParser
import Bluetooth
import Provisioning
import Support

/// `noafw units`
struct UnitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "units",
        abstract: "Name units, and list those that this machine knows.",
        discussion: """
            A name stands for an address: --device takes it, and every table, line and error shows it. Names are kept in the state \
            folder, on this machine alone; the unit does not learn its own.

            Examples:
              noafw units name C6:05:04:03:02:01 "Room 3, 12"
              noafw verify --device "Room 3, 12"
              noafw units list
              noafw units forget "Room 3, 12"
            """,
        subcommands: [UnitsNameCommand.self, UnitsListCommand.self, UnitsForgetCommand.self])
}

/// `noafw units name`
struct UnitsNameCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "name",
        abstract: "Give a unit a name.",
        discussion: """
            A unit that has a name gets the new one. The unit need not be in reach. --label gives a name to the unit that another verb \
            works on.

            Examples:
              noafw units name C6:05:04:03:02:01 "Room 3, 12"
              noafw units name "Room 3, 12" "Room 4, 1"

            Exit codes: 0 named, 64 no address or no name, 74 files.
            """)

    @Argument(help: "The unit's address, or the name that it has.", completion: LiveCompletion.units)
    var unit: String

    @Argument(help: "The name: at most \(UnitNames.lengthLimit) bytes, and no other unit's.")
    var name: String

    func run(in context: CommandContext) async -> Int32 {
        await OfflineCommand(context: context, isJSON: false).run { _ in
            let address = try NamedUnit.address(of: unit)
            try await UnitNames(stateFolder: try context.stateFolder()).set(name, for: address, clock: context.clock)
            return OfflineCommand.Result(lines: ["\(address) is called \(UntrustedText.escape(name)) now"])
        }
    }
}

/// `noafw units list`
struct UnitsListCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the units that have a name or were worked on.",
        discussion: """
            Asks no unit; noafw scan shows those in reach.

            Examples:
              noafw units list
              noafw units list --json

            Exit codes: 0 shown, 74 files.
            """)

    @Flag(help: "Print one JSON document on standard output (schema noafw.units.list/1).")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        await OfflineCommand(context: context, isJSON: json).run(failure: { UnitsDocument(error: $0) }) { style in
            let folder = try context.stateFolder()
            let units = ListedUnits(known: try KnownUnits(stateFolder: folder).load(), names: try UnitNames(stateFolder: folder).load())
            return OfflineCommand.Result(lines: units.lines(style), document: UnitsDocument(units: units.rows))
        }
    }
}

/// `noafw units forget`
struct UnitsForgetCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Take away a unit's name, and forget that it was worked on.",
        discussion: """
            For a unit that has left the house. Its runs stay in the ledger, and its bond in bluetoothd: see noafw unpair. When it comes \
            back stranded in its bootloader, it has to be named with --device.

            Examples:
              noafw units forget "Room 3, 12"
              noafw units forget C6:05:04:03:02:01

            Exit codes: 0 forgotten, 64 no such unit, 74 files.
            """)

    @Argument(help: "The unit's address, or its name.", completion: LiveCompletion.units)
    var unit: String

    func run(in context: CommandContext) async -> Int32 {
        await OfflineCommand(context: context, isJSON: false).run { _ in
            let folder = try context.stateFolder()
            let address = try NamedUnit.address(of: unit)
            let name = try await UnitNames(stateFolder: folder).remove(address, clock: context.clock)
            let wasKnown = try await KnownUnits(stateFolder: folder).remove(address, clock: context.clock)
            guard wasKnown || name != nil else { throw CommandError.noSuchUnit("\(address)") }
            let text = name.map { ", which was called \(UntrustedText.escape($0))" } ?? ""
            return OfflineCommand.Result(lines: ["\(address)\(text) is forgotten"])
        }
    }
}
