struct ConsoleRequest: Sendable {
    var unit: UnitSelection
    var inputs: AssetInputs
    /// The unit's program is not started again.
    var staysAtPrompt: Bool
    var stateFolder: String
    /// Gets what the operator should know of the station.
    var notice: @Sendable (String) -> Void = { _ in }
}

struct ConsoleVerdict: Verdict {
    /// A line raised an exception.
    var hasRaised = false
    /// The unit was sent away from its prompt: there is nothing to put back.
    var hasLeft = false
    var passed: Bool { !hasRaised }
}
