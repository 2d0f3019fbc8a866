import Bluetooth
import Support

/// A conversation between a wearer, a terminal and an assistant. Ends when it is cancelled, by ``SessionCommand/finish``, or
/// when the first connection cannot be made.
public struct ChatSession: Sendable {
    let central: any Central
    let address: DeviceAddress
    let relay: any AppRelay
    let responder: any Responder
    let startProgram: ProgramStarter
    let options: ChatOptions

    public init(
        central: any Central, address: DeviceAddress, relay: any AppRelay, responder: any Responder,
        options: ChatOptions = ChatOptions(), startProgram: @escaping ProgramStarter
    ) {
        self.central = central
        self.address = address
        self.relay = relay
        self.responder = responder
        self.options = options
        self.startProgram = startProgram
    }

    /// - Parameters:
    ///   - commands: from the terminal; ending the inbox is like ``SessionCommand/finish``.
    ///   - report: gets every event in order, one at a time.
    /// - Throws: what the first connection or the first start threw; `CancellationError`.
    public func run(commands: Inbox<SessionCommand>, report: @escaping @Sendable (ChatEvent) -> Void) async throws {
        let inputs = Inbox<Input>(capacity: 1 << 16)
        let tasks = Inbox<ResponderTask>()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await LinkKeeper(session: self, inputs: inputs).run()
                return false
            }
            group.addTask {
                try await forward(commands, to: inputs)
                return false
            }
            group.addTask {
                try await Worker(responder: responder, clock: clock, inputs: inputs).run(tasks)
                return false
            }
            group.addTask {
                try await decide(inputs, tasks: tasks, report: report)
                return true
            }
            defer { group.cancelAll() }
            while let hasFinished = try await group.next(), !hasFinished {}
        }
    }

    enum Input: Sendable {
        case machine(ChatMachine.Input)
        /// A link that is there, its number, and where packets for it go.
        case link(payloadSize: Int, UnitStatus, packets: Inbox<[UInt8]>)
    }

    var clock: SessionClock { central.clock }

    private func forward(_ commands: Inbox<SessionCommand>, to inputs: Inbox<Input>) async throws {
        do {
            while let command = try await commands.next(before: clock.deadline(in: .forever), on: clock) {
                inputs.deliver(.machine(.command(command)))
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            inputs.deliver(.machine(.command(.finish)))
        }
    }

    /// The one place where the machine is asked and its actions are done.
    private func decide(
        _ inputs: Inbox<Input>, tasks: Inbox<ResponderTask>, report: @Sendable (ChatEvent) -> Void
    ) async throws {
        var machine = ChatMachine(
            relay: relay, conversation: Conversation(mode: options.mode, tokenLimit: options.tokenLimit),
            readyTimeout: options.startTimeout, newConfirmation: options.newConfirmation)
        var packets: Inbox<[UInt8]>?
        var stop: Inbox<Void>?
        while !machine.isFinished {
            let deadline = machine.nextDeadline ?? clock.deadline(in: .forever)
            let input: ChatMachine.Input
            switch try await inputs.next(before: deadline, on: clock) {
            case .link(let payloadSize, let status, let sink):
                packets = sink
                input = .linkUp(payloadSize: payloadSize, status)
            case .machine(let other): input = other
            case nil: input = .tick
            }
            for action in machine.handle(input, now: clock.now) {
                switch action {
                case .report(let event): report(event)
                case .send(let packet): packets?.deliver(packet)
                case .hear(let work, let sound, let mode):
                    stop = tasks.place(work, .hear(sound, mode))
                case .answer(let work, let conversation):
                    stop = tasks.place(work, .answer(conversation))
                case .stopWork: stop?.deliver(())
                }
            }
        }
    }
}
