import Bluetooth
import REPL
import Support

/// A person at a unit's own prompt: keys go to the unit, what it answers to the screen.
struct ConsoleTerminal: Sendable {
    let context: CommandContext

    func run(_ repl: PythonREPL) async throws -> ConsoleVerdict {
        let inputs = Inbox<[UInt8]?>()
        try await repl.leaveRaw(within: .seconds(5))
        let typed = try context.input.open(.keys) { inputs.deliver($0) }
        defer { typed.close() }
        context.output.write("Python on the unit. Press Ctrl-] or Ctrl-X to leave.\r\n>>> ")
        defer { context.output.write("\r\n") }
        return try await beside({ try await show(repl) }, { try await send(inputs, typed, to: repl) })
    }

    private func show(_ repl: PythonREPL) async throws {
        var filter = TerminalFilter()
        while let bytes = try await repl.nextOutput(before: repl.clock.deadline(in: .forever)) {
            let text = filter.show(bytes)
            if !text.isEmpty { context.output.write(text) }
        }
    }

    private func send(_ inputs: Inbox<[UInt8]?>, _ typed: any TypedInput, to repl: PythonREPL) async throws -> ConsoleVerdict {
        var keys = ConsoleKeys()
        while true {
            typed.more()
            guard let bytes = try await inputs.next(before: context.clock.deadline(in: .forever), on: context.clock) ?? nil else {
                return ConsoleVerdict()
            }
            for action in keys.take(bytes, now: context.clock.now) {
                switch action {
                case .send(let bytes): try await repl.type(bytes, within: .seconds(10))
                case .leave: return ConsoleVerdict()
                case .warn:
                    context.output.write("\r\nPress Ctrl-\\ again to restart the unit into safe mode, without its program.\r\n")
                case .safeMode:
                    try await repl.type([ConsoleKeys.safeModeKey], within: .seconds(10))
                    context.output.write("\r\nThe unit restarts into safe mode.\r\n")
                    return ConsoleVerdict(hasLeft: true)
                }
            }
        }
    }
}

/// What a person's keys mean at a unit's prompt.
struct ConsoleKeys {
    enum Action: Hashable, Sendable {
        case send([UInt8])
        case leave
        /// The next one within ``timeout`` is meant.
        case warn
        case safeMode
    }

    /// Ctrl-\: the Monocle restarts into safe mode when it gets it (monocle-micropython, `main.c`).
    static let safeModeKey: UInt8 = 0x1C
    /// Ctrl-X and Ctrl-].
    private static let leavingKeys: Set<UInt8> = [0x18, 0x1D]
    static let timeout = Duration.seconds(2)

    private var warnedAt: SessionClock.Instant?

    mutating func take(_ bytes: [UInt8], now: SessionClock.Instant) -> [Action] {
        var actions: [Action] = []
        var text: [UInt8] = []
        func flush() {
            if !text.isEmpty { actions.append(.send(text)) }
            text = []
        }
        for byte in bytes {
            if Self.leavingKeys.contains(byte) {
                flush()
                return actions + [.leave]
            }
            guard byte == Self.safeModeKey else {
                text.append(byte)
                continue
            }
            flush()
            // Two in one piece were pasted.
            if bytes.count == 1, let warnedAt, warnedAt.duration(to: now) <= Self.timeout { return actions + [.safeMode] }
            if warnedAt != now { actions.append(.warn) }
            warnedAt = now
        }
        flush()
        return actions
    }
}
