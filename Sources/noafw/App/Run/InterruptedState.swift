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
        guard mayChangeUnit, stage != nil || !updated.isEmpty else {
            condition = Self.unchanged
            nextAction = "run: \(command)"
            return
        }
        let done = updated.isEmpty ? "" : "already updated: \(updated.map(\.rawValue).joined(separator: ", ")); "
        condition = done + (stage.map(Self.condition) ?? "nothing else that the unit stores was changed")
        nextAction = "run: \(command) (it continues where it stopped)"
    }

    private static let unchanged = "nothing that the unit stores was changed"

    private static func condition(of stage: Stage) -> String {
        switch stage {
        case .connect, .probe, .preflight: unchanged
        case .bootloader: "the unit goes to its bootloader; its old firmware is whole, and it returns to it within 3 minutes"
        case .firmware: "the unit waits in its bootloader, its new firmware incomplete"
        case .restart: "the unit's new firmware is written and starts; the parts after it are not done"
        case .erase: "the unit's FPGA flash may be partly erased; until it is written the unit starts its built-in FPGA image"
        case .fpga: "the unit's FPGA image is incomplete and not committed; the unit starts its built-in FPGA image"
        case .commit: "the unit's FPGA image is complete; its proof, commit or restart may be missing"
        case .scripts: "the unit's scripts may be incomplete"
        case .proof: "every part is written, the proof is missing"
        }
    }
}
