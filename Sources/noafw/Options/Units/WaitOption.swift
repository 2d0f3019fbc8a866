import ArgumentParser

struct WaitOption: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Wait up to this many seconds until the unit appears.", valueName: "seconds"))
    var wait: Double?

    func validate() throws {
        if let wait, !(wait.isFinite && wait > 0 && wait <= 86_400) {
            throw ValidationError("--wait is a number of seconds above 0 and up to 86400.")
        }
    }

    var value: Duration? { wait.map { .seconds($0) } }
}
