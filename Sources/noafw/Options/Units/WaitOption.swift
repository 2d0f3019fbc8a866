import ArgumentParser

struct WaitOption: ParsableArguments, Sendable {
    static let help = ArgumentHelp("Wait up to this many seconds until the unit appears.", valueName: "seconds")

    @Option(help: Self.help)
    var wait: Double?

    func validate() throws { try Self.check(wait) }

    /// Of a `--wait` that stands among the options of another group.
    /// - Throws: `ValidationError`.
    static func check(_ wait: Double?) throws {
        if let wait, !(wait.isFinite && wait > 0 && wait <= 86_400) {
            throw ValidationError("--wait is a number of seconds above 0 and up to 86400.")
        }
    }

    var value: Duration? { wait.map { .seconds($0) } }
}
