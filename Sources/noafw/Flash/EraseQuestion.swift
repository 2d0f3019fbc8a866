import Provisioning
import Support
import Synchronization

/// Asks a person at a terminal before an update removes their own files from a unit: once a run, whichever unit is first.
final class EraseQuestion: Sendable {
    private struct State {
        var isYes: Bool?
        var isAsking = false
        /// Other units that wait for the answer.
        var waiting: [Inbox<Void>] = []
    }

    private enum Turn { case answered(isYes: Bool), ask, wait(Inbox<Void>) }

    private let context: CommandContext
    private let isForSeveral: Bool
    private let state = Mutex(State())

    /// `nil` if nobody can answer.
    /// - Parameter isForSeveral: the answer also counts for units that are not known yet.
    init?(_ context: CommandContext, isForSeveral: Bool) {
        guard context.input.isTerminal, context.output.isTerminal, context.diagnostics.isTerminal else { return nil }
        (self.context, self.isForSeveral) = (context, isForSeveral)
    }

    /// A note above the question explains it.
    /// - Throws: ``ProvisioningError/notPermitted``.
    func ask(about plan: Plan?) async throws {
        guard let plan, !plan.erases.isEmpty else { return }
        while true {
            switch turn() {
            case .answered(let isYes):
                guard isYes else { throw ProvisioningError.notPermitted }
                return
            case .wait(let inbox): _ = try await inbox.next(before: context.clock.deadline(in: .forever), on: context.clock)
            case .ask:
                // If this one is cancelled, those waiting ask again.
                defer { end() }
                let answer = try await answer(about: plan)
                state.withLock { $0.isYes = answer.isYes }
            }
        }
    }

    private func turn() -> Turn {
        state.withLock { state in
            if let isYes = state.isYes { return .answered(isYes: isYes) }
            guard state.isAsking else {
                state.isAsking = true
                return .ask
            }
            let inbox = Inbox<Void>()
            state.waiting.append(inbox)
            return .wait(inbox)
        }
    }

    private func end() {
        let waiting = state.withLock { state in
            defer { (state.isAsking, state.waiting) = (false, []) }
            return state.waiting
        }
        for inbox in waiting { inbox.deliver(()) }
    }

    private func answer(about plan: Plan) async throws -> Answer {
        let count = plan.erases.count
        let files = count == 1 ? "this file" : "these \(count) files"
        return try await context.drawingArea.holding {
            if isForSeveral { context.say("\(plan.unit) would lose \(files); the answer applies to such files on all units in this run") }
            context.diagnostics.write(isForSeveral ? "erase them? [y/N] " : "erase \(files) on the unit? [y/N] ")
            return try await Answer.read(context)
        }
    }
}
