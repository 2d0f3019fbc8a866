import ArgumentParser

/// A verb: parsed by ArgumentParser, run with everything it needs handed to it.
protocol ContextCommand: ParsableCommand, Sendable {
    /// - Returns: the process's exit code.
    func run(in context: CommandContext) async -> Int32
}
