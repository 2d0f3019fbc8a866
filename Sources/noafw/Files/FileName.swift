import ArgumentParser

/// How a command uses a file or folder named on the command line.
enum FileUse: Sendable, Hashable {
    /// A folder includes its content.
    case read(NamedPath)
    /// Replaced or added to; a folder is added to.
    case written(NamedPath)
    /// Created; never replaces anything.
    case created(NamedPath)

    /// The file of a result.
    var result: NamedPath? {
        switch self {
        case .read: nil
        case .written(let path), .created(let path): path
        }
    }

    /// Collects them from all options of a parsed command.
    static func all(in command: Any, _ context: CommandContext) -> [FileUse] {
        if let named = command as? any FileNaming { return named.uses(in: context) }
        return Mirror(reflecting: command).children.flatMap { all(in: $0.value, context) }
    }
}

/// A part of a command line that names files.
protocol FileNaming {
    func uses(in context: CommandContext) -> [FileUse]
}

/// An option's value that names a file or folder; its type says how it is used.
protocol FileName: FileNaming, ExpressibleByArgument, Sendable, Hashable {
    /// As given.
    var name: String { get }

    init(name: String)
}

extension FileName {
    init(argument: String) { self.init(name: argument) }
}

/// For reading.
struct InputName: FileName {
    let name: String

    func uses(in context: CommandContext) -> [FileUse] { [.read(context.path(self))] }
}

/// The folder of a catalogue, possibly of a whole project.
struct CatalogueName: FileName {
    let name: String

    func uses(in context: CommandContext) -> [FileUse] {
        OwnFiles.catalogue(in: context.path(self).location).map { .read(NamedPath($0, in: "/")) }
    }
}

/// Replaced or added to.
struct OutputName: FileName {
    let name: String

    func uses(in context: CommandContext) -> [FileUse] { [.written(context.path(self))] }
}

/// Like ``OutputName``, or `-` for standard output.
struct ResultName: FileName {
    let name: String

    var isStandardOutput: Bool { name == "-" }

    func uses(in context: CommandContext) -> [FileUse] { isStandardOutput ? [] : [.written(context.path(self))] }
}

/// Never replaces anything: for example a key.
struct NewFileName: FileName {
    let name: String

    func uses(in context: CommandContext) -> [FileUse] { [.created(context.path(self))] }
}

extension CommandContext {
    func path(_ file: some FileName) -> NamedPath { path(file.name) }
}
