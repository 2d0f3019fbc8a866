import Provisioning

/// In which state an interrupted run leaves the unit, and what to run next.
struct InterruptedState: Sendable, Hashable {
    var condition: String
    var nextAction: String

    /// - Parameters:
    ///   - stage: the last stage that writes, if its part is not concluded.
    ///   - updated: the parts that are written already.
    ///   - arguments: the command line without the program's name.
    init(mayChangeUnit: Bool, stage: Stage?, updated: [Component] = [], arguments: [String]) {
        let command = CommandLineText.same(arguments)
        guard mayChangeUnit, stage?.remains != nil || !updated.isEmpty else {
            condition = Self.unchanged
            nextAction = "run: \(command)"
            return
        }
        let done = updated.isEmpty ? "" : "already updated: \(updated.map(\.name).joined(separator: ", ")); "
        condition = done + (stage?.remains ?? "nothing else that the unit stores was changed")
        nextAction = "run: \(command) (it continues where it stopped)"
    }

    private static let unchanged = "nothing that the unit stores was changed"
}
