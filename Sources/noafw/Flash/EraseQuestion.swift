import Provisioning
import Support
import Synchronization

/// Asks a person at a terminal before an update takes their own files from a unit.
final class EraseQuestion: Sendable {
    private let context: CommandContext
    private let isAnswered = Mutex(false)

    /// `nil` where nobody is there to answer.
    init?(_ context: CommandContext) {
        guard context.input.isTerminal, context.output.isTerminal, context.diagnostics.isTerminal else { return nil }
        self.context = context
    }

    /// Once for a run. What it is about stands above it, as a note.
    /// - Throws: ``ProvisioningError/notPermitted``.
    func ask(about plan: Plan?) async throws {
        guard let plan, !plan.erases.isEmpty, !isAnswered.withLock(\.self) else { return }
        let count = plan.erases.count
        try await context.drawingArea.holding {
            context.diagnostics.write("erase \(count == 1 ? "this file" : "these \(count) files") on the unit? [y/N] ")
            guard try await Answer.read(context).isYes else { throw ProvisioningError.notPermitted }
        }
        isAnswered.withLock { $0 = true }
    }
}
