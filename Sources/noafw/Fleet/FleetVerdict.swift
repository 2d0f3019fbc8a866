/// The word for what became of a unit. A unit that failed differs from one that could not be tried.
enum FleetVerdict: String, Sendable, CaseIterable {
    case pass
    /// The unit is bad, or not as it should be.
    case fail
    /// Something else went wrong: the station, the radio, a file.
    case error
    case interrupted
    case notReached = "not_reached"
    case notStarted = "not_started"
    case notExpected = "not_expected"
    /// Another station or another process works on it.
    case inUse = "in_use"

    var word: String {
        switch self {
        case .pass: "PASS"
        case .fail: "FAIL"
        case .error: "ERROR"
        case .interrupted: "INTERRUPTED"
        case .notReached: "NOT REACHED"
        case .notStarted: "NOT STARTED"
        case .notExpected: "NOT EXPECTED"
        case .inUse: "IN USE"
        }
    }

    /// Shown with the word, for people who see no colour or do not read.
    func sign(_ style: TextStyle) -> String {
        switch self {
        case .pass: style.hasSymbols ? "✔" : "+"
        case .fail: style.hasSymbols ? "✘" : "x"
        case .error: "!"
        case .interrupted, .notStarted, .notExpected, .inUse: "-"
        case .notReached: "?"
        }
    }

    var tone: TextStyle.Tone {
        switch self {
        case .pass: .good
        case .fail, .error, .interrupted: .bad
        case .notReached, .notStarted, .notExpected, .inUse: .careful
        }
    }

    /// In a sentence that counts.
    var counted: String {
        switch self {
        case .pass: "passed"
        case .fail: "failed"
        case .error: "had an error"
        case .interrupted: "interrupted"
        case .notReached: "not reached"
        case .notStarted: "not started"
        case .notExpected: "not expected here"
        case .inUse: "in use elsewhere"
        }
    }
}
