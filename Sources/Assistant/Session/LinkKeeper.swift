import Bluetooth
import Support
import Synchronization

/// Connects to the unit, starts its program, carries packets, and reconnects when the link is lost.
final class LinkKeeper: Sendable {
    private struct OpenLink: Sendable {
        let connection: any Connection
        let output: Inbox<[UInt8]>
        /// `nil` where it is the output.
        let console: Inbox<[UInt8]>?
        var status = UnitStatus()
        var firstPackets: [[UInt8]] = []
        var printed: [UInt8] = []
    }

    private let session: ChatSession
    private let inputs: Inbox<ChatSession.Input>
    /// The program has answered the relay's probe, on any link. No other program is probed: noa-flutter's puts the unit to sleep at the
    /// first message that arrives more than 18 s after its start.
    private let knowsProbe = Mutex(false)

    /// A program that sends more without a sign of life is restarted.
    private static let firstPacketLimit = 64
    private static let subscribeTimeout = Duration.seconds(5)
    private static let writeTimeout = Duration.seconds(10)

    init(session: ChatSession, inputs: Inbox<ChatSession.Input>) { (self.session, self.inputs) = (session, inputs) }

    private var clock: SessionClock { session.clock }

    /// - Throws: what the first connection or start threw; later failures are retried.
    func run() async throws {
        var schedule = ReconnectSchedule(delays: session.options.reconnectDelays)
        var firstLink = session.firstLink
        while true {
            tell(.told(.connecting(attempt: schedule.attempt)))
            do {
                let new = if let firstLink { firstLink } else { try await connect() }
                firstLink = nil
                let link = try await open(new, schedule.knownStatus)
                schedule.succeeded(link.status)
                tell(.linkDown(reason: try await serve(link)))
            } catch {
                try Task.checkCancellation()
                guard schedule.failed() else { throw error }
                tell(.told(.lost(reason: Self.reason(error))))
            }
            tell(.told(.reconnecting(after: schedule.delay)))
            try await clock.sleep(until: clock.deadline(in: schedule.delay))
        }
    }

    private func connect() async throws -> ChatSession.Link {
        let connection = try await session.connect(clock.deadline(in: session.options.connectTimeout))
        return ChatSession.Link(connection, start: session.startProgram) { await connection.disconnect() }
    }

    /// - Parameter known: from an earlier link; the program then needs a start only when it is silent.
    private func open(_ new: ChatSession.Link, _ known: UnitStatus?) async throws -> OpenLink {
        let (relay, connection) = (session.relay, new.connection)
        do {
            func subscribe(_ id: AttributeID) async throws -> Inbox<[UInt8]> {
                try await connection.subscribe(to: id, deadline: clock.deadline(in: Self.subscribeTimeout))
            }
            // The program announces itself once, when it starts.
            let output = try await subscribe(relay.transmit)
            // All subscribers of a link share one inbox: the starter's turn comes first.
            var console: Inbox<[UInt8]>?
            if let id = relay.console { console = try await subscribe(id) }
            var link = OpenLink(connection: connection, output: output, console: console)
            tell(.told(.starting))
            if let known {
                link.status = known
                // Nobody asked for it again.
                link.status.batteryPercent = nil
                link.firstPackets = try await signOfLife(over: connection, from: output)
                if !link.firstPackets.isEmpty { return link }
            }
            let started = try await new.start(connection) { while output.poll() != nil {} }
            (link.status, link.printed) = (started.status, started.printed)
            return link
        } catch {
            await new.giveUp()
            throw error
        }
    }

    /// Waits for a program that may run already. Probes a silent one once, if it has answered before.
    /// - Returns: the packets up to the sign of life; none without one.
    private func signOfLife(over connection: any Connection, from output: Inbox<[UInt8]>) async throws -> [[UInt8]] {
        let end = clock.deadline(in: session.options.readyTimeout)
        let probe = knowsProbe.withLock(\.self) ? session.relay.probe : nil
        var patience = probe == nil ? end : clock.deadline(in: session.options.readyTimeout / 2)
        var packets: [[UInt8]] = []
        while packets.count < Self.firstPacketLimit {
            if let packet = try await output.next(before: patience, on: clock) {
                packets.append(packet)
                if session.relay.showsLife(packet) { return packets }
            } else if patience < end, let probe {
                patience = end
                try await connection.write(probe, to: session.relay.receive, deadline: end)
            } else {
                return []
            }
        }
        return []
    }

    /// - Returns: why the link was lost.
    private func serve(_ link: OpenLink) async throws -> String {
        let packets = Inbox<[UInt8]>()
        inputs.deliver(.link(payloadSize: link.connection.payloadSize, link.status, packets: packets))
        for packet in link.firstPackets { tell(.packet(packet)) }
        if !link.printed.isEmpty { tell(.console(link.printed)) }
        var reason = "no more packets"
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [self] in
                    try await each(link.output) { packet in
                        if session.relay.answersProbe(packet) { knowsProbe.withLock { $0 = true } }
                        tell(.packet(packet))
                    }
                }
                if let console = link.console { group.addTask { [self] in try await each(console) { tell(.console($0)) } } }
                // With response: an acknowledged packet has reached the unit, if not its program.
                group.addTask { [self] in
                    try await each(packets) { packet in
                        try await link.connection.write(packet, to: session.relay.receive, deadline: clock.deadline(in: Self.writeTimeout))
                        tell(.sent)
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            reason = Self.reason(error)
        }
        await link.connection.disconnect()
        try Task.checkCancellation()
        return reason
    }

    private func each(_ inbox: Inbox<[UInt8]>, _ body: ([UInt8]) async throws -> Void) async throws {
        while let bytes = try await inbox.next(before: clock.deadline(in: .forever), on: clock) { try await body(bytes) }
    }

    private func tell(_ input: ChatMachine.Input) { inputs.deliver(.machine(input)) }

    private static func reason(_ error: any Error) -> String {
        (error as? any DiagnosableError)?.diagnosis.message ?? "\(type(of: error))"
    }
}

/// When to reconnect. The first link has no second attempt: the operator sees why it failed.
struct ReconnectSchedule {
    /// The last one repeats.
    private let delays: [Duration]
    /// From an earlier link.
    private(set) var knownStatus: UnitStatus?
    /// Attempts in a row.
    private var failures = 0

    init(delays: [Duration]) { self.delays = delays.isEmpty ? [.seconds(1)] : delays }

    /// The next attempt, from 1 for each reconnection.
    var attempt: Int { failures + 1 }

    var delay: Duration { delays[min(failures, delays.count - 1)] }

    mutating func succeeded(_ status: UnitStatus) { (knownStatus, failures) = (status, 0) }

    /// - Returns: whether there is another attempt.
    mutating func failed() -> Bool {
        failures += 1
        return knownStatus != nil
    }
}
