import ArgumentParser

/// A verb: parsed by ArgumentParser, run with everything it needs handed to it.
protocol ContextCommand: ParsableCommand, Sendable {
    /// Its arguments may be a secret: no message repeats one.
    static var hasPrivateArguments: Bool { get }

    /// - Returns: the process's exit code.
    func run(in context: CommandContext) async -> Int32
}

extension ContextCommand {
    static var hasPrivateArguments: Bool { false }
}
