import Bluetooth
import Support

/// Something for the responder to do, and the means to have it stopped.
struct WorkOrder: Sendable {
    enum Kind: Sendable {
        case hear(Sound, AssistantMode)
        case answer(Conversation)
    }

    let work: Int
    let kind: Kind
    let stop: Inbox<Void>
}

extension Inbox where Element == WorkOrder {
    /// - Returns: what stops the work.
    func place(_ work: Int, _ kind: WorkOrder.Kind) -> Inbox<Void> {
        let order = WorkOrder(work: work, kind: kind, stop: Inbox<Void>())
        deliver(order)
        return order.stop
    }
}

/// Has the responder do one thing after the other.
struct Worker: Sendable {
    let responder: any Responder
    let clock: SessionClock
    let inputs: Inbox<ChatSession.Input>

    func run(_ orders: Inbox<WorkOrder>) async throws {
        while let order = try await orders.next(before: clock.deadline(in: ChatSession.forever), on: clock) {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await perform(order) }
                group.addTask { _ = try? await order.stop.next(before: clock.deadline(in: ChatSession.forever), on: clock) }
                await group.next()
                group.cancelAll()
            }
            try Task.checkCancellation()
        }
    }

    private func perform(_ order: WorkOrder) async {
        let progress: @Sendable (ResponderProgress) -> Void = { inputs.deliver(.machine(.progress(work: order.work, $0))) }
        switch order.kind {
        case .hear(let sound, let mode):
            let result = await Self.result { try await responder.hear(sound, as: mode, progress: progress) }
            inputs.deliver(.machine(.heard(work: order.work, result)))
        case .answer(let conversation):
            let result = await Self.result { try await responder.answer(conversation, progress: progress) }
            inputs.deliver(.machine(.answered(work: order.work, result)))
        }
    }

    private static func result<Value>(_ body: () async throws -> Value) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
