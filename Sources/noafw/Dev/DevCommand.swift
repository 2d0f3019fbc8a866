import ArgumentParser
import Provisioning

/// `noafw dev`
struct DevCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Keep a unit's files as those of a folder, and run its program anew at each save.",
        discussion: """
            Sends what differs, starts the program, and shows what it prints and raises. At each save only what was saved goes over, \
            and the program starts again; a file that is removed is removed on the unit. Other files on the unit stay. Hidden files, and \
            those whose name ends in ~, are left out. Ends at Ctrl-C; the program goes on.

            This is no release: there is no version line and no proof that the program lives. noafw flash --scripts does that.

            Examples:
              noafw dev src
              noafw dev src --nearest
              noafw dev Scripts/monocle --virtual monocle
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Argument(help: ArgumentHelp("A folder with main.py or main.lua.", valueName: "folder"), completion: .directory)
    var folder: InputName

    func run(in context: CommandContext) async -> Int32 {
        let dev = DevRun(context: context, folder: WatchedFolder(context.path(folder)))
        return await OwnerRun(context: context, unit: unit, limit: limit, verb: "dev").run { unit in
            do {
                let visit = try UnitVisit(family: unit.family, central: unit.central, address: unit.address, notice: context.note)
                try await visit.run(progress: { dev.saves }) { try await dev.run($0) }
            } catch is CancellationError where context.stop.reason == .interrupted {
                // Ctrl-C is how it ends.
            }
            return OwnerVerdict()
        }
    }
}
