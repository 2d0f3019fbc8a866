import ArgumentParser
import Provisioning
import ScriptBundle

/// `noafw fs`
struct FsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fs",
        abstract: "List, read, copy and remove files on a unit.",
        discussion: """
            A name that begins with : is on the unit, as in mpremote. The unit's program is interrupted, and starts again at the end.

            Examples:
              noafw fs ls
              noafw fs cat :main.py
              noafw fs cp main.py :
              noafw fs cp -r lib :
              noafw fs cp -r : backup
              noafw fs rm -r :lib
              noafw fs mkdir :data
              noafw fs df
            """,
        subcommands: [
            FsListCommand.self, FsPrintCommand.self, FsCopyCommand.self, FsRemoveCommand.self, FsFolderCommand.self, FsSpaceCommand.self,
        ])
}

/// A name on a unit; `:` before it may be left out where nothing else can be meant.
struct UnitName: ExpressibleByArgument, Sendable, Hashable {
    let path: UnitPath

    init?(argument: String) {
        guard let path = try? UnitPath(argument.hasPrefix(":") ? String(argument.dropFirst()) : argument) else { return nil }
        self.path = path
    }
}

/// `noafw fs ls`
struct FsListCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the files in a folder on a unit.",
        discussion: """
            Examples:
              noafw fs ls
              noafw fs ls -r
              noafw fs ls :lib --virtual frame

            Exit codes: 0 listed, 66 there is no such file, others as in noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Argument(help: ArgumentHelp("A folder or file on the unit. The default is its root.", valueName: "place"))
    var place: UnitName?

    @Flag(name: .shortAndLong, help: "Also list what is in its folders.")
    var recursive = false

    @Flag(help: "Print one JSON document on standard output (schema noafw.fs/1).")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let path = place?.path ?? .root
        return await OwnerRun(context: context, unit: unit, limit: limit, verb: "fs").run { [recursive] console in
            guard let there = try await console.files.find(path) else { throw UnitFileError.missing("\(path)") }
            guard there.isFolder else { return [there] }
            return try await recursive ? console.files.tree(path) : console.files.list(path)
        } conclude: { [json] files in
            if json {
                context.output.writeLine(JSONWriter.text(FsDocument(files)))
            } else {
                for file in files { context.output.writeLine(FsText.line(file, under: path)) }
            }
            return true
        }
    }
}

/// `noafw fs df`
struct FsSpaceCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "df",
        abstract: "Show the room in a unit's file system.",
        discussion: """
            A Frame does not tell its free room: noafw counts the blocks that its files take.

            Examples:
              noafw fs df
              noafw fs df --virtual monocle
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Flag(help: "Print one JSON document on standard output (schema noafw.fs/1).")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        await OwnerRun(context: context, unit: unit, limit: limit, verb: "fs").run { try await $0.files.space() } conclude: { [json] space in
            context.output.writeLine(json ? JSONWriter.text(FsDocument(space)) : FsText.line(space))
            return true
        }
    }
}

/// `noafw fs cat`
struct FsPrintCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat",
        abstract: "Print files of a unit.",
        discussion: """
            Prints the exact bytes. On a terminal, what a terminal would act upon is escaped.

            Examples:
              noafw fs cat :main.py
              noafw fs cat :log.bin > log.bin
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Argument(help: ArgumentHelp("Files on the unit.", valueName: "place"))
    var places: [UnitName]

    func run(in context: CommandContext) async -> Int32 {
        let paths = places.map(\.path)
        return await OwnerRun(context: context, unit: unit, limit: limit, verb: "fs").run { console in
            var contents: [[UInt8]] = []
            for path in paths {
                let file = try await console.files.file(path)
                contents.append(try await console.files.read(path, byteCount: file.byteCount) { _ in })
            }
            return contents
        } conclude: { contents in
            for bytes in contents {
                if context.output.isTerminal {
                    var filter = TerminalFilter()
                    context.output.write(filter.show(bytes))
                } else {
                    context.output.writeBytes(bytes)
                }
            }
            return true
        }
    }
}

extension UnitFiles {
    /// - Throws: ``UnitFileError/missing(_:)``, ``UnitFileError/isFolder(_:)``.
    func file(_ path: UnitPath) async throws -> UnitFile {
        guard let file = try await find(path) else { throw UnitFileError.missing("\(path)") }
        guard !file.isFolder else { throw UnitFileError.isFolder("\(path)") }
        return file
    }
}
