import ArgumentParser
import Provisioning
import ScriptBundle
import Synchronization

/// `noafw fs rm`
struct FsRemoveCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove files from a unit.",
        discussion: """
            Nothing of what is removed can be brought back: copy it first with noafw fs cp.

            Examples:
              noafw fs rm :old.py
              noafw fs rm -r :lib
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Argument(help: ArgumentHelp("Files on the unit; with -r folders, too.", valueName: "place"))
    var places: [UnitName]

    @Flag(name: .shortAndLong, help: "Remove folders with all that is in them.")
    var recursive = false

    @Flag(name: .shortAndLong, help: "Do not complain about what is not there.")
    var force = false

    func validate() throws {
        if places.contains(where: \.path.isRoot) {
            throw ValidationError("The root of a unit's files cannot be removed: name what is in it.")
        }
    }

    func run(in context: CommandContext) async -> Int32 {
        let paths = places.map(\.path)
        // A second pass after a lost link finds gone what the first one removed.
        let removed = Mutex<[UnitPath]>([])
        return await OwnerRun(context: context, unit: unit, limit: limit, verb: "fs").run(progress: { removed.withLock(\.count) }) {
            [recursive, force] console in
            let files = console.files
            for path in paths {
                guard let there = try await files.find(path) else {
                    guard force || removed.withLock({ $0.contains(path) }) else { throw UnitFileError.missing("\(path)") }
                    continue
                }
                guard recursive || !there.isFolder else { throw UnitFileError.isFolder("\(path)") }
                removed.withLock { $0.append(path) }
                for inner in there.isFolder ? try await files.tree(path).reversed() : [] {
                    let innerPath = try inner.usablePath
                    try await files.remove(innerPath, isFolder: inner.isFolder)
                    removed.withLock { $0.append(innerPath) }
                }
                try await files.remove(path, isFolder: there.isFolder)
            }
        } conclude: { _ in true }
    }
}

/// `noafw fs mkdir`
struct FsFolderCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "mkdir",
        abstract: "Make folders on a unit, with those above them.",
        discussion: """
            A folder that is there already stays as it is.

            Examples:
              noafw fs mkdir :lib
              noafw fs mkdir :data/2026 --virtual frame
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Argument(help: ArgumentHelp("Folders on the unit.", valueName: "place"))
    var places: [UnitName]

    func run(in context: CommandContext) async -> Int32 {
        let paths = places.map(\.path)
        return await OwnerRun(context: context, unit: unit, limit: limit, verb: "fs").run { console in
            for path in paths { try await console.files.makeFolders(path) }
        } conclude: { _ in true }
    }
}
