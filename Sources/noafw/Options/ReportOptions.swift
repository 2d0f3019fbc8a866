import ArgumentParser

struct ReportOptions: ParsableArguments, Sendable {
    @Flag(help: "Print one JSON document on standard output, and all else on standard error.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Add each event to this file as it happens, one JSON object a line (schema noafw.event/1); - is standard output.",
            valueName: "file"),
        completion: .file())
    var events: ResultName?

    @Option(help: ArgumentHelp("Stop after this many seconds.", valueName: "seconds"))
    var timeout: Double?

    @Flag(name: [.short, .long], help: "Print each step, with the seconds since the start.")
    var verbose = false

    var eventsTakeOutput: Bool { events?.isStandardOutput == true }

    func validate() throws {
        if json, eventsTakeOutput { throw ValidationError("Give --events a file: --json takes standard output for its document.") }
        try TimeLimit.check(timeout)
    }
}
