import Bluetooth
import Support

public struct ChatOptions: Sendable {
    public var mode = AssistantMode.assistant
    public var tokenLimit = 4096
    var connectTimeout = Duration.seconds(20)
    /// For a known unit to announce itself.
    var readyTimeout = Duration.seconds(4)
    /// For a freshly started program: Noa's says `rdy:` after 7 s (noa-for-ios, `main.py`).
    var startTimeout = Duration.seconds(15)
    /// The last one repeats.
    var reconnectDelays: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(10)]
    /// 16 characters: with its command it fits the smallest packet.
    public var newConfirmation: @Sendable () -> ConfirmationID = {
        ConfirmationID(SessionRandom.hexadecimal())
    }

    public init() {}
}

/// A conversation between a wearer, a terminal and an assistant. Ends on cancellation, by ``SessionCommand/finish``, or when the first
/// connection fails.
public struct ChatSession: Sendable {
    /// Connects to the unit.
    public typealias Connector = @Sendable (_ deadline: SessionClock.Instant) async throws -> any Connection

    /// A link to the unit, and the starter of its program.
    public struct Link: Sendable {
        let connection: any Connection
        let start: ProgramStarter
        /// Ends a link over which no program was started.
        let giveUp: @Sendable () async -> Void

        public init(_ connection: any Connection, start: @escaping ProgramStarter, giveUp: @escaping @Sendable () async -> Void) {
            (self.connection, self.start, self.giveUp) = (connection, start, giveUp)
        }
    }

    let clock: SessionClock
    let firstLink: Link?
    let connect: Connector
    let relay: any AppRelay
    let responder: any Responder
    let startProgram: ProgramStarter
    let options: ChatOptions

    /// - Parameter firstLink: the first link, which the session ends; `nil` connects.
    public init(
        clock: SessionClock, firstLink: Link? = nil, connect: @escaping Connector, relay: any AppRelay,
        responder: any Responder,
        options: ChatOptions = ChatOptions(), startProgram: @escaping ProgramStarter
    ) {
        (self.clock, self.firstLink, self.connect) = (clock, firstLink, connect)
        (self.relay, self.responder, self.options, self.startProgram) = (relay, responder, options, startProgram)
    }

    /// - Parameters:
    ///   - commands: from the terminal; ending the inbox is like ``SessionCommand/finish``.
    ///   - report: gets every event in order, one at a time.
    /// - Throws: what the first connection or start threw; `CancellationError`.
    public func run(commands: Inbox<SessionCommand>, report: @escaping @Sendable (ChatEvent) -> Void) async throws {
        let inputs = Inbox<Input>(capacity: 1 << 16)
        let work = Inbox<Work>()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            func serve(_ body: @escaping @Sendable () async throws -> Void) {
                group.addTask {
                    try await body()
                    return false
                }
            }
            serve { try await LinkKeeper(session: self, inputs: inputs).run() }
            serve { try await forward(commands, to: inputs) }
            serve { try await perform(work, reporting: inputs) }
            group.addTask {
                try await decide(inputs, work, report: report)
                return true
            }
            defer { group.cancelAll() }
            while let hasFinished = try await group.next(), !hasFinished {}
        }
    }

    enum Input: Sendable {
        case machine(ChatMachine.Input)
        case link(payloadSize: Int, UnitStatus, packets: Inbox<[UInt8]>)
    }

    /// A request to the responder, and its stop signal.
    private struct Work: Sendable {
        let perform: @Sendable () async -> ChatMachine.Input
        let stop = Inbox<Void>()
    }

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

    /// One request after the other.
    private func perform(_ work: Inbox<Work>, reporting inputs: Inbox<Input>) async throws {
        while let item = try await work.next(before: clock.deadline(in: .forever), on: clock) {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { inputs.deliver(.machine(await item.perform())) }
                group.addTask { _ = try? await item.stop.next(before: clock.deadline(in: .forever), on: clock) }
                await group.next()
                group.cancelAll()
            }
            try Task.checkCancellation()
        }
    }

    private static func result<Value>(_ body: () async throws -> Value) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    /// The only place that calls the machine and performs its actions.
    private func decide(_ inputs: Inbox<Input>, _ work: Inbox<Work>, report: @Sendable (ChatEvent) -> Void) async throws {
        var machine = ChatMachine(
            relay: relay, conversation: Conversation(mode: options.mode, tokenLimit: options.tokenLimit),
            readyTimeout: options.startTimeout, newConfirmation: options.newConfirmation)
        var packets: Inbox<[UInt8]>?
        var current: Work?
        func begin(_ perform: @escaping @Sendable () async -> ChatMachine.Input) {
            let item = Work(perform: perform)
            current = item
            work.deliver(item)
        }
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
                    begin {
                        .heard(work: work, await Self.result {
                            try await responder.hear(sound, as: mode) { inputs.deliver(.machine(.progress(work: work, $0))) }
                        })
                    }
                case .answer(let work, let conversation):
                    begin {
                        .answered(work: work, await Self.result {
                            try await responder.answer(conversation) { inputs.deliver(.machine(.progress(work: work, $0))) }
                        })
                    }
                case .stopWork: current?.stop.deliver(())
                case .endLink: packets?.finish(throwing: LinkError.disconnected("its program did not say that it is ready"))
                }
            }
        }
    }
}
