import Bluetooth
import Support

/// What happens while a session types.
public enum TypingEvent: Sendable, Hashable {
    /// Keys that the unit confirmed so far.
    case confirmed(keys: Int)
    /// The link is lost and sought. This number of keys may or may not have been typed.
    case lost(unknownKeys: Int)
    case found
    /// A new text is not typed while the host's text is unknown.
    case heldBack
    /// A text changed before a key that cannot be undone: the change is not made.
    case tooLate
}

/// Types over a link: performs the machine's commands.
public struct TypingSession: Sendable {
    /// A wanted text, or the end.
    public enum Wish: Sendable {
        case text([TypedItem])
        /// With the keys to send after the last text.
        case end([TypedItem])
    }

    public struct Result: Sendable, Hashable {
        public var confirmedKeys = 0
        /// The last confirmed ones, as many as the trace shows.
        public var commands: [KeyCommand] = []
        public var writes = 0
        /// Bytes written.
        public var bytes = 0
        public var losses = 0

        public init() {}

        fileprivate mutating func note(_ command: KeyCommand, _ keys: Int) {
            (writes, bytes, confirmedKeys) = (writes + 1, bytes + command.bytes.count, keys)
            commands = (commands + [command]).suffix(KeyboardTrace.places)
        }
    }

    private static let connectTime = Duration.seconds(10)
    /// The phone app's pauses (`BluetoothService.swift`).
    private static let pauseAfterLoss = Duration.seconds(1)
    private static let pauseAfterFailure = Duration.seconds(2)
    /// How long a unit may be absent, besides the time that it types its queue.
    private static let reconnectTime = Duration.seconds(60)

    private let address: DeviceAddress
    private let central: any Central
    private let report: @Sendable (TypingEvent) -> Void

    public init(address: DeviceAddress, central: any Central, report: @escaping @Sendable (TypingEvent) -> Void = { _ in }) {
        (self.address, self.central, self.report) = (address, central, report)
    }

    private var clock: SessionClock { central.clock }

    /// Types a text once, after whatever the host shows.
    /// - Throws: ``KeyboardError/lost(confirmed:unknown:of:reason:)`` when the link was lost meanwhile: nothing is repeated.
    public func type(_ items: [TypedItem]) async throws -> Result {
        let link = try await connect()
        var machine = TypingMachine(payload: link.payload)
        machine.aim(at: items)
        var result = Result()
        while let command = machine.next() {
            do {
                try await link.send(command)
            } catch {
                await link.close()
                guard !(error is CancellationError) else { throw error }
                throw KeyboardError.lost(
                    confirmed: machine.confirmedKeys, unknown: machine.lose(), of: items.reduce(0) { $0 + $1.keys },
                    reason: Self.reason(of: error))
            }
            machine.confirm()
            result.note(command, machine.confirmedKeys)
            report(.confirmed(keys: machine.confirmedKeys))
        }
        await link.close()
        return result
    }

    /// Omits the words of an error that itself reports the lost link.
    private static func reason(of error: any Error) -> String {
        if case LinkError.disconnected(let reason) = error { reason } else { diagnose(error).message }
    }

    /// Makes the newest wish the host's text, by the smallest edit each time. Skips outdated wishes.
    /// - Parameters:
    ///   - wishClock: the wisher's, which may differ from the unit's.
    ///   - taken: called for each wish taken from the queue.
    /// - Throws: ``KeyboardError/unknownText(unknown:)`` when the last ones could not be typed.
    public func follow(
        _ wishes: Inbox<Wish>, on wishClock: SessionClock, taken: @escaping @Sendable () -> Void = {}
    ) async throws -> Result {
        var link = try await connect()
        var machine = TypingMachine(payload: link.payload)
        var result = Result()
        var unknownKeys: Int?
        var hasEnded = false
        do {
            while true {
                while !hasEnded, !machine.owesKeys, let wish = wishes.poll() {
                    taken()
                    hasEnded = take(wish, &machine)
                }
                guard let command = machine.next() else {
                    if hasEnded { break }
                    let wish = try await clock.paused {
                        try await wishes.next(before: wishClock.deadline(in: .forever), on: wishClock)
                    }
                    if let wish {
                        taken()
                        hasEnded = take(wish, &machine)
                    }
                    continue
                }
                do {
                    try await link.send(command)
                    machine.confirm()
                    result.note(command, machine.confirmedKeys)
                    report(.confirmed(keys: machine.confirmedKeys))
                } catch let error where !(error is CancellationError) {
                    let unknown = machine.lose()
                    unknownKeys = unknown
                    report(.lost(unknownKeys: unknown))
                    await link.close()
                    link = try await reconnect(unknown)
                    machine.use(payload: link.payload)
                    result.losses += 1
                    report(.found)
                }
            }
        } catch {
            await link.close()
            throw error
        }
        await link.close()
        if let unknownKeys, machine.standing == .unknown { throw KeyboardError.unknownText(unknown: unknownKeys) }
        return result
    }

    /// - Returns: whether it was the last one.
    private func take(_ wish: Wish, _ machine: inout TypingMachine) -> Bool {
        switch wish {
        case .text(let items):
            if !machine.aim(at: items) {
                report(.heldBack)
            } else if machine.isTooLate {
                report(.tooLate)
            }
            return false
        case .end(let keys):
            machine.finish(with: keys)
            return true
        }
    }

    private func reconnect(_ unknownKeys: Int) async throws -> KeyboardLink {
        let deadline = clock.deadline(in: Self.reconnectTime + KeyboardLink.patience(keys: unknownKeys))
        try await clock.sleep(until: clock.deadline(in: Self.pauseAfterLoss))
        while true {
            do {
                return try await connect()
            } catch let error as LinkError {
                guard clock.now < deadline else { throw error }
                try await clock.sleep(until: clock.deadline(in: Self.pauseAfterFailure))
            }
        }
    }

    private func connect() async throws -> KeyboardLink { try await KeyboardLink.open(address, over: central, within: Self.connectTime) }
}
