import ArgumentParser

/// How a verb reports.
struct ReportOptions: ParsableArguments, Sendable {
    @Flag(help: "Print one JSON document on standard output; everything else goes to standard error.")
    var json = false

    @Option(help: ArgumentHelp("End the run after so many seconds.", valueName: "seconds"))
    var timeout: Double?

    @Flag(name: [.short, .long], help: "Say more: every step, with the seconds since the start.")
    var verbose = false

    func validate() throws {
        if let timeout, !(timeout.isFinite && timeout > 0 && timeout <= 1_000_000) {
            throw ValidationError("--timeout is a number of seconds above 0 and up to 1000000.")
        }
    }
}
