import ArgumentParser

/// How a line is run.
struct LineOptions: ParsableArguments, Sendable {
    @Flag(help: "Work on each unit that is put next to the adapter, one after another, until Ctrl-C.")
    var watch = false

    @Flag(help: "Work again on a unit that has already passed.")
    var again = false

    @Flag(help: "Ring once for a unit that passed, three times otherwise.")
    var bell = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Take a unit with at least this signal strength. The default is -65.", valueName: "dBm"))
    var near: Int?

    @Option(
        help: ArgumentHelp("With --serial ask: a regular expression that the whole serial number must match.", valueName: "pattern"))
    var serialPattern: String?

    static let usualThreshold = -65

    func validate() throws {
        if !watch, again || bell || near != nil || serialPattern != nil {
            throw ValidationError("--again, --bell, --near and --serial-pattern belong to --watch: add it, or leave them out.")
        }
        if let near, !(-100...0).contains(near) { throw ValidationError("--near is a signal strength from -100 to 0 dBm, such as -65.") }
        _ = try pattern
    }

    /// - Throws: `ValidationError`.
    var pattern: TextPattern? {
        get throws {
            guard let serialPattern else { return nil }
            let ignoresCase = serialPattern.hasPrefix("(?i)")
            let body = ignoresCase ? String(serialPattern.dropFirst(4)) : serialPattern
            do throws(TextPattern.Fault) {
                // By itself first: a ) too many would end the group around it.
                _ = try TextPattern(body)
                return try TextPattern("\(ignoresCase ? "(?i)" : "")^(?:\(body))$")
            } catch {
                throw ValidationError("--serial-pattern cannot be used: \(error.reason).")
            }
        }
    }
}
