import Bluetooth
import Support

/// Something for the responder to do, and the means to have it stopped.
struct ResponderTask: Sendable {
    enum Kind: Sendable {
        case hear(Sound, AssistantMode)
        case answer(Conversation)
    }

    let work: Int
    let kind: Kind
    let stop: Inbox<Void>
}

extension Inbox where Element == ResponderTask {
    /// - Returns: what stops the work.
    func place(_ work: Int, _ kind: ResponderTask.Kind) -> Inbox<Void> {
        let task = ResponderTask(work: work, kind: kind, stop: Inbox<Void>())
        deliver(task)
        return task.stop
    }
}

/// Has the responder do one thing after the other.
struct Worker: Sendable {
    let responder: any Responder
    let clock: SessionClock
    let inputs: Inbox<ChatSession.Input>

    func run(_ tasks: Inbox<ResponderTask>) async throws {
        while let task = try await tasks.next(before: clock.deadline(in: .forever), on: clock) {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await perform(task) }
                group.addTask { _ = try? await task.stop.next(before: clock.deadline(in: .forever), on: clock) }
                await group.next()
                group.cancelAll()
            }
            try Task.checkCancellation()
        }
    }

    private func perform(_ task: ResponderTask) async {
        let progress: @Sendable (ResponderProgress) -> Void = { inputs.deliver(.machine(.progress(work: task.work, $0))) }
        switch task.kind {
        case .hear(let sound, let mode):
            let result = await Self.result { try await responder.hear(sound, as: mode, progress: progress) }
            inputs.deliver(.machine(.heard(work: task.work, result)))
        case .answer(let conversation):
            let result = await Self.result { try await responder.answer(conversation, progress: progress) }
            inputs.deliver(.machine(.answered(work: task.work, result)))
        }
    }

    private static func result<Value>(_ body: () async throws -> Value) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
