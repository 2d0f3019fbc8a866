import Bluetooth
import Support

/// Gets the unit's program to run over a fresh link.
///
/// The first call of a session verifies and starts; later ones come only when the unit did not announce itself by itself.
/// `willStart` is to be called once, just before the start: what the unit's program sent until then is thrown away.
public typealias ProgramStarter = @Sendable (
    any Connection, _ isReconnection: Bool, _ willStart: () -> Void
) async throws -> StartedProgram

public struct StartedProgram: Sendable {
    public var status: UnitStatus
    /// What the program has printed already; the rest comes as ``AppRelay/console``.
    public var printed: [UInt8]

    public init(status: UnitStatus, printed: [UInt8] = []) { (self.status, self.printed) = (status, printed) }
}

/// A conversation between a wearer, a terminal and an assistant. Ends when it is cancelled, by ``ChatCommand/finish``, or
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
    ///   - commands: from the terminal; ending the inbox is like ``ChatCommand/finish``.
    ///   - report: gets every event in order, one at a time.
    /// - Throws: what the first connection or the first start threw; `CancellationError`.
    public func run(commands: Inbox<ChatCommand>, report: @escaping @Sendable (ChatEvent) -> Void) async throws {
        let inputs = Inbox<Input>(capacity: 1 << 16)
        let orders = Inbox<WorkOrder>()
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
                try await Worker(responder: responder, clock: clock, inputs: inputs).run(orders)
                return false
            }
            group.addTask {
                try await decide(inputs, orders: orders, report: report)
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

    /// Longer than any session.
    static let forever = Duration.seconds(100_000_000)

    var clock: SessionClock { central.clock }

    private func forward(_ commands: Inbox<ChatCommand>, to inputs: Inbox<Input>) async throws {
        do {
            while let command = try await commands.next(before: clock.deadline(in: Self.forever), on: clock) {
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
        _ inputs: Inbox<Input>, orders: Inbox<WorkOrder>, report: @Sendable (ChatEvent) -> Void
    ) async throws {
        var machine = ChatMachine(
            relay: relay, conversation: Conversation(mode: options.mode, tokenLimit: options.tokenLimit),
            readyTimeout: options.startTimeout, newConfirmation: options.newConfirmation)
        var packets: Inbox<[UInt8]>?
        var stop: Inbox<Void>?
        while !machine.isFinished {
            let deadline = machine.nextDeadline ?? clock.deadline(in: Self.forever)
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
                    stop = orders.place(work, .hear(sound, mode))
                case .answer(let work, let conversation):
                    stop = orders.place(work, .answer(conversation))
                case .stopWork: stop?.deliver(())
                }
            }
        }
    }
}

public struct ChatOptions: Sendable {
    public var mode = AssistantMode.assistant
    /// Tokens of the conversation beyond which it is cleared.
    public var tokenLimit = 4096
    public var connectTimeout = Duration.seconds(20)
    /// How long a unit that was there before may take to announce itself.
    public var readyTimeout = Duration.seconds(4)
    /// How long a program that was just started may take: Noa's says `rdy:` 7 s after its start (noa-for-ios, `main.py`).
    public var startTimeout = Duration.seconds(15)
    /// Waits between attempts to reconnect; the last one repeats.
    public var reconnectDelays: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(10)]
    /// Yields an identifier that was never used before, of 16 characters: with its command it fits the smallest packet.
    public var newConfirmation: @Sendable () -> ConfirmationID = {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return ConfirmationID(String(repeating: "0", count: 16 - digits.count) + digits)
    }

    public init() {}
}
