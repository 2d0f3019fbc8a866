import ArgumentParser
import Provisioning
import ScriptBundle

/// A name on the command line of `fs cp`: of this machine or, behind `:`, of the unit.
struct CopyName: ExpressibleByArgument, Sendable, Hashable {
    enum Side: Sendable, Hashable { case host(String), unit(UnitPath) }

    let side: Side
    /// It means what is in the folder, or for a target: the folder.
    let endsInSlash: Bool

    init?(argument: String) {
        endsInSlash = argument.hasSuffix("/")
        guard argument.hasPrefix(":") else {
            side = .host(argument)
            return
        }
        guard let path = try? UnitPath(String(argument.dropFirst())) else { return nil }
        side = .unit(path)
    }

    var isOnUnit: Bool { if case .unit = side { true } else { false } }
}

/// `noafw fs cp`
struct FsCopyCommand: ContextCommand, FileNaming {
    static let configuration = CommandConfiguration(
        commandName: "cp",
        abstract: "Copy files to a unit, from it, or on it.",
        discussion: """
            A name behind : is on the unit. A file that is the same already, by a digest computed on the unit, is not sent. Each file is \
            replaced in one step: after an interruption the old one is there, or the new one, and the same command goes on. \
            A folder whose name ends in / means what is in it.

            Examples:
              noafw fs cp main.py util.py :
              noafw fs cp -r lib :
              noafw fs cp -r src/ :
              noafw fs cp :log.txt .
              noafw fs cp -r : backup
              noafw fs cp :main.py :main.old.py

            Exit codes: 0 copied, 65 a name or a file that no unit takes, 66 there is no such file, 75 the link was lost, others as in \
            noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Argument(help: ArgumentHelp("What is copied, then where to; : is the root of the unit's files.", valueName: "place"))
    var places: [CopyName]

    @Flag(name: .shortAndLong, help: "Copy folders with all that is in them.")
    var recursive = false

    @Flag(name: .shortAndLong, help: "Also send what is the same already.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print no line for each file.")
    var quiet = false

    func validate() throws {
        guard places.count > 1, let target = places.last else { throw ValidationError("Name what is copied, and where to.") }
        guard target.isOnUnit || places.dropLast().allSatisfy(\.isOnUnit) else {
            throw ValidationError("Put : before the names that are on the unit: noafw fs cp main.py :")
        }
    }

    func uses(in context: CommandContext) -> [FileUse] {
        places.enumerated().compactMap { index, place in
            guard case .host(let name) = place.side else { return nil }
            return index == places.count - 1 ? .written(context.path(name)) : .read(context.path(name))
        }
    }

    func run(in context: CommandContext) async -> Int32 {
        let copy = FsCopy(context: context, places: places, isRecursive: recursive, isForced: force, isQuiet: quiet)
        return await OwnerRun(context: context, unit: unit, limit: limit, verb: "fs").run(progress: { copy.tally.advances }) { console in
            try await copy.run(on: console.files)
        } conclude: { _ in
            if !quiet { context.output.writeLine(copy.tally.line) }
            return true
        }
    }
}
