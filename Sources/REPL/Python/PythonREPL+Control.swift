import Bluetooth
import Support
import Synchronization

extension PythonREPL {
    /// Sent between the end of one interpreter and the start of the next (monocle-micropython, `main.c`).
    private static let restartMessage = "soft reboot\r\n"
    /// The prompt is asked for again after this time.
    private static let pollInterval = Duration.milliseconds(400)
    /// And after this one where the friendly prompt came, and no raw one behind it.
    private static let shortPollInterval = Duration.milliseconds(45)
    /// Lets the unit finish its commands and drain old output before it is interrupted.
    private static let quietInterval = Duration.milliseconds(100)

    /// Brings the unit back to a proven raw prompt. Interrupts what runs; Python's globals remain.
    public func recover(within: Duration) async throws {
        try await recover(before: clock.deadline(in: within))
    }

    func recover(before deadline: SessionClock.Instant) async throws {
        let hasStartedProgram = state.withLock { state in
            defer { (state.isInStep, state.hasStartedProgram) = (false, false) }
            state.forgetHelpers()
            return state.hasStartedProgram
        }
        if !hasStartedProgram { try await awaitQuiet(before: min(deadline, clock.deadline(in: Self.pollInterval))) }
        var entry = RawREPLEntry()
        while clock.now < deadline {
            try await send(bytes: entry.poll(), before: deadline)
            guard try await prove(with: &entry, before: deadline) else { continue }
            return state.withLock { ($0.machine, $0.isInStep) = (RawREPLMachine(), true) }
        }
        throw REPLError.noPrompt
    }

    private func prove(with entry: inout RawREPLEntry, before deadline: SessionClock.Instant) async throws -> Bool {
        var attemptEnd = min(deadline, clock.deadline(in: Self.pollInterval))
        while clock.now < attemptEnd, let bytes = try await inbox.next(before: attemptEnd, on: clock) {
            switch entry.receive(bytes, nonce: Self.randomNonce) {
            case .send(let code):
                try await send(bytes: code, before: deadline)
                attemptEnd = min(deadline, clock.deadline(in: Self.pollInterval))
            case .wait: attemptEnd = min(attemptEnd, clock.deadline(in: Self.shortPollInterval))
            case .proven: return true
            case nil: continue
            }
        }
        return false
    }

    private func awaitQuiet(before deadline: SessionClock.Instant) async throws {
        while clock.now < deadline,
            try await inbox.next(before: min(deadline, clock.deadline(in: Self.quietInterval)), on: clock) != nil
        {}
    }

    /// Callbacks that a program registered are C variables, which neither the collector nor a soft reset clears: a later packet
    /// or touch would call freed memory (monocle-micropython, `bluetooth.c`, `touch.c`).
    static let disarm = """
        try:
         import bluetooth
         bluetooth.receive_callback(None)
        except(ImportError,AttributeError):
         pass
        try:
         import touch
         for _n in touch.A,touch.B,touch.BOTH,touch.EITHER:
          touch.callback(_n,None)
        except(ImportError,AttributeError):
         pass
        """

    /// All code that this module sends to a Monocle, including the base of helpers.
    package static var sentCode: [String] { [RawREPLEntry.proof("word"), disarm] + RemoteHelper.ground.sentCode }

    private func disarm(before deadline: SessionClock.Instant) async throws {
        do {
            _ = try await run(PythonCode(Self.disarm), within: clock.now.duration(to: deadline))
        } catch REPLError.exception {
            // Perhaps short of memory, which the restart frees.
        }
    }

    /// Gives a fresh interpreter at the raw prompt: callbacks off, soft reset, then ``recover(within:)``, which interrupts
    /// `main.py`.
    public func softReset(within: Duration) async throws {
        let deadline = clock.deadline(in: within)
        try await disarm(before: deadline)
        try begin()
        try await send(bytes: [Control.execute], before: deadline)
        guard try await awaitText(Self.restartMessage, before: deadline) else { throw REPLError.timedOut("the soft reset") }
        try await recover(before: deadline)
    }

    /// Removes a program's callbacks and restarts Python without waiting for the end of `main.py`. The session is then out of
    /// step; ``nextOutput(before:)`` returns what the program prints.
    /// - Returns: whether the unit reported the restart. A `main.py` that never pauses prevents the report.
    @discardableResult
    public func start(within: Duration) async throws -> Bool {
        let deadline = clock.deadline(in: within)
        try begin()
        // In one go: the prompt reads what follows the code when it has run. The keys share a packet: of lost ones, none goes alone.
        try await send(bytes: Array(Self.disarm.utf8), before: deadline)
        try await send(bytes: [Control.execute, Control.leaveRaw, Control.execute], before: deadline)
        guard try await awaitText(Control.friendlyPrompt, before: deadline) else { throw REPLError.timedOut("the friendly prompt") }
        defer { state.withLock { $0.hasStartedProgram = true } }
        let hasRestarted: Bool
        if try await awaitText(Self.restartMessage, after: takePrinted(), before: deadline) {
            hasRestarted = true
        } else {
            hasRestarted = try await restartFromPrompt(within: within)
        }
        if hasRestarted { state.withLock { ($0.helpers, $0.lacksOthers) = ([:], true) } }
        return hasRestarted
    }

    /// A key that arrived damaged stands in the prompt's line, or began a paste. A running program takes the carriage return for Enter.
    /// - Returns: whether the unit was at a prompt and reported the restart.
    private func restartFromPrompt(within: Duration) async throws -> Bool {
        for _ in 0..<2 {
            try await send(bytes: [Control.enter], before: clock.deadline(in: within))
            var isAtPrompt = try await showsPrompt()
            if !isAtPrompt {
                try await settle(within: within)
                isAtPrompt = try await showsPrompt()
            }
            guard isAtPrompt else { return false }
            let deadline = clock.deadline(in: Self.pollInterval)
            try await send(bytes: [Control.execute], before: deadline)
            if try await awaitText(Self.restartMessage, after: takePrinted(), before: deadline) { return true }
        }
        return false
    }

    /// - Returns: whether what the unit prints now ends with a prompt.
    private func showsPrompt() async throws -> Bool {
        let deadline = clock.deadline(in: Self.pollInterval)
        var seen: [UInt8] = []
        while clock.now < deadline, let bytes = try await inbox.next(before: deadline, on: clock) {
            seen = Array((seen + bytes).suffix(Self.printedLimit))
            if [Control.friendlyPrompt, Control.pastePrompt].contains(where: { seen.suffix($0.utf8.count).elementsEqual($0.utf8) }) {
                return true
            }
        }
        state.withLock { [seen] in $0.printed = Array(($0.printed + seen).suffix(Self.printedLimit)) }
        return false
    }

    /// What a program printed in the packet that reported its start. The rest goes to ``nextOutput(before:)`` or, once this
    /// session is closed, to the next subscriber: a link has one inbox for each characteristic.
    public func takePrinted() -> [UInt8] {
        state.withLock { state in
            defer { state.printed = [] }
            return state.printed
        }
    }

    private static let pastePause = Duration.milliseconds(30)

    /// Sends keys unchanged; long text a packet at a time with pauses, since the unit drops what its ring cannot hold.
    public func type(_ keys: [UInt8], within: Duration) async throws {
        let deadline = clock.deadline(in: within)
        for start in stride(from: 0, to: keys.count, by: payloadSize) {
            if start > 0 { try await clock.sleep(until: clock.deadline(in: Self.pastePause)) }
            try await writer.send(Array(keys[start..<min(start + payloadSize, keys.count)]), deadline: deadline)
        }
    }

    /// Sends a zero byte, which no prompt heeds, and returns once the unit has it: what it had printed arrives now.
    public func settle(within: Duration) async throws { try await writer.deliver([0], deadline: clock.deadline(in: within)) }

    /// The unit's next output, cut anywhere, starting with that of ``takePrinted()``; `nil` if none.
    public func nextOutput(before deadline: SessionClock.Instant) async throws -> [UInt8]? {
        let printed = takePrinted()
        return try await printed.isEmpty ? inbox.next(before: deadline, on: clock) : printed
    }

    /// Starts code that does not return, such as a reset. The session is then out of step.
    public func send(_ code: PythonCode, within: Duration) async throws {
        let deadline = clock.deadline(in: within)
        try begin(RawREPLMachine(inFlight: 1))
        try await send(bytes: code.bytes + [Control.execute], before: deadline)
        while true {
            let bytes = try await nextBytes(before: deadline, awaiting: "the unit to take a command")
            if try state.withLock({ try $0.machine.receive(bytes) }).contains(.accepted) { return }
        }
    }

    /// Interrupts what runs. The session is then out of step.
    public func interrupt(within: Duration) async throws {
        state.withLock { $0.isInStep = false }
        try await send(bytes: [Control.interrupt], before: clock.deadline(in: within))
    }

    /// Bytes that are kept of what was printed.
    private static let printedLimit = 4096

    /// Output before and after the text is kept for ``nextOutput(before:)``: its last 4096 bytes.
    private func awaitText(_ text: String, after start: [UInt8] = [], before deadline: SessionClock.Instant) async throws -> Bool {
        let wanted = Array(text.utf8)
        var (seen, searched) = (start, 0)
        while true {
            if let found = seen[searched...].firstRange(of: wanted) {
                state.withLock { [rest = Array(seen[found.upperBound...])] in $0.printed = rest }
                return true
            }
            if seen.count > 2 * Self.printedLimit { seen.removeFirst(seen.count - Self.printedLimit) }
            searched = max(0, seen.count - wanted.count + 1)
            guard clock.now < deadline, let bytes = try await inbox.next(before: deadline, on: clock) else { break }
            seen += bytes
        }
        state.withLock { [seen] in $0.printed = seen.suffix(Self.printedLimit) }
        return false
    }
}

extension PythonREPL {
    /// Ctrl-C waits this long.
    public static let shutdownGrace = Duration.seconds(2)
    /// For one start; ``shutdownGrace`` allows two.
    private static let startTimeout = Duration.milliseconds(900)

    /// Runs `body` at a unit's raw prompt, then ends the session. If that fails or is cancelled, the unit's program is started
    /// again, even if the prompt was not reached: the program may already be interrupted.
    /// - Parameter leavesProgram: leaves the unit as `body` left it, whatever ends it.
    public static func visit<Value: Sendable>(
        _ connection: any Connection, clock: SessionClock, within: Duration, leavesProgram: Bool = false,
        _ body: (PythonREPL) async throws -> Value
    ) async throws -> Value {
        let repl: PythonREPL
        do {
            repl = try await attach(to: connection, clock: clock, within: within)
        } catch {
            if !leavesProgram {
                await clock.shielded(for: shutdownGrace) {
                    let repl = try await attach(to: connection, clock: clock, within: shutdownGrace)
                    try await repl.startOnTheWayOut()
                }
            }
            throw error
        }
        do {
            let value = try await body(repl)
            await repl.close()
            return value
        } catch {
            if !leavesProgram { await repl.putBack() }
            await repl.close()
            throw error
        }
    }

    public func putBack(within limit: Duration = shutdownGrace) async {
        await clock.shielded(for: limit) { [self] in
            try await recover(within: limit)
            try await startOnTheWayOut()
        }
    }

    private func startOnTheWayOut() async throws {
        _ = try await insisting(within: Self.shutdownGrace) { try await start(within: Self.startTimeout) }
    }
}
