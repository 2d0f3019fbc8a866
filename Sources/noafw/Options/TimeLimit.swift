import ArgumentParser

struct TimeLimit: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Stop after this many seconds.", valueName: "seconds"))
    var timeout: Double?

    func validate() throws { try Self.check(timeout) }

    /// Of a `--timeout` that stands among the options of another group.
    /// - Throws: `ValidationError`.
    static func check(_ seconds: Double?) throws {
        if let seconds, !(seconds.isFinite && seconds > 0 && seconds <= 1_000_000) {
            throw ValidationError("--timeout is a number of seconds above 0 and up to 1000000.")
        }
    }
}
