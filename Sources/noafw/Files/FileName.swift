import ArgumentParser

/// What becomes of a file or folder that a command line names.
enum FileUse: Sendable, Hashable {
    /// A folder: with all that is in it.
    case read(NamedPath)
    /// Replaced or added to; a folder is added to.
    case written(NamedPath)
    /// Made where nothing is, and nowhere else.
    case created(NamedPath)

    /// What a result is written to.
    var result: NamedPath? {
        switch self {
        case .read: nil
        case .written(let path), .created(let path): path
        }
    }

    /// Those of all options of a parsed command.
    static func all(in command: Any, _ context: CommandContext) -> [FileUse] {
        if let named = command as? any FileNaming { return named.uses(in: context) }
        return Mirror(reflecting: command).children.flatMap { all(in: $0.value, context) }
    }
}

/// A part of a command line that names files.
protocol FileNaming {
    func uses(in context: CommandContext) -> [FileUse]
}

/// A name of a file or folder, as an option's value: its type tells what becomes of it.
protocol FileName: FileNaming, ExpressibleByArgument, Sendable, Hashable {
    /// As it was given.
    var name: String { get }

    init(name: String)
}

extension FileName {
    init(argument: String) { self.init(name: argument) }
}

/// What is read.
struct InputName: FileName {
    let name: String

    func uses(in context: CommandContext) -> [FileUse] { [.read(context.path(self))] }
}

/// The folder of a catalogue, which may be that of a whole project.
struct CatalogueName: FileName {
    let name: String

    func uses(in context: CommandContext) -> [FileUse] {
        OwnFiles.catalogue(in: context.path(self).location).map { .read(NamedPath($0, in: "/")) }
    }
}

/// What is replaced or added to.
struct OutputName: FileName {
    let name: String

    func uses(in context: CommandContext) -> [FileUse] { [.written(context.path(self))] }
}

/// The same, or `-` for standard output.
struct ResultName: FileName {
    let name: String

    var isStandardOutput: Bool { name == "-" }

    func uses(in context: CommandContext) -> [FileUse] { isStandardOutput ? [] : [.written(context.path(self))] }
}

/// What is never made over something that is there, such as a key.
struct NewFileName: FileName {
    let name: String

    func uses(in context: CommandContext) -> [FileUse] { [.created(context.path(self))] }
}

extension CommandContext {
    func path(_ file: some FileName) -> NamedPath { path(file.name) }
}
