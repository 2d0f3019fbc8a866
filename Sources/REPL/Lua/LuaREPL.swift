import Bluetooth
import Support
import Synchronization

/// A session with a Frame's Lua at its prompt.
///
/// After a wait that failed, and after ``reset(within:)``, the session is out of step: ``run(_:within:)`` throws
/// ``REPLError/outOfStep`` until ``recover(within:)``.
public final class LuaREPL: Sendable {
    struct State {
        var machine: LuaMachine?
        var isInStep = false
        /// What the unit's program said while something else was waited for.
        var unread: [LuaNotification] = []
        var libraries: Set<String> = []
        var roundTrip = RoundTrip()
    }

    /// After pairing the unit writes its flash and draws from an interrupt (frame-codebase, `bluetooth.c`).
    private static let pairingPause = Duration.seconds(1)
    /// The unit gets what is under way once more after so long.
    static let patience = Duration.seconds(1)
    /// Notifications that are kept; the oldest go first.
    private static let unreadLimit = 256

    public let clock: SessionClock
    let payloadSize: Int
    let inbox: Inbox<[UInt8]>
    let channel: any WriteChannel
    let state = Mutex(State())

    /// Subscribes; the unit's program goes on.
    init(_ connection: any Connection, _ clock: SessionClock, before deadline: SessionClock.Instant) async throws {
        guard connection.payloadSize >= LuaHelper.leastPayload else {
            throw REPLError.payloadTooSmall(connection.payloadSize, least: LuaHelper.leastPayload)
        }
        if connection.isNewlyBonded { try await clock.sleep(until: clock.deadline(in: Self.pairingPause)) }
        self.clock = clock
        inbox = try await connection.subscribe(to: LuaService.transmit, deadline: deadline)
        channel = try await connection.openChannel(to: LuaService.receive, deadline: deadline)
        // The unit's buffer takes 244 bytes, whatever the link does (frame-codebase, `bluetooth.h`).
        payloadSize = min(connection.payloadSize, 244)
    }

    /// Runs code at the prompt.
    /// - Parameter within: from the first byte sent to the last of the answer.
    /// - Returns: what it returned, as Lua's `tostring` gives it; nothing for `nil`.
    /// - Throws: ``REPLError/lua(_:)`` when it failed; the session stays in step.
    @discardableResult
    public func run(_ code: LuaCode, within: Duration) async throws -> [UInt8] {
        try await perform(within: within) { $0.run(code) }
    }

    /// As ``run(_:within:)``, with harmless text without trailing white space.
    public func runText(_ code: String, within: Duration) async throws -> String {
        PrintableText.of(try await run(try LuaCode(code), within: within), keepingLines: true)
    }

    /// Calls a function of the helper or of a library that was loaded.
    /// - Parameter arguments: Lua text of at most ``callRoom`` bytes, the function's name included.
    @discardableResult
    package func call(_ function: String, _ arguments: [UInt8] = [], within: Duration) async throws -> [UInt8] {
        try await perform(within: within) { try $0.call(function, arguments) }
    }

    /// Of the fastest command that one write carried.
    package var roundTrip: Duration { state.withLock(\.roundTrip.duration) }

    /// What one call holds: its function's name and its arguments.
    package var callRoom: Int { payloadSize - LuaHelper.callOverhead }

    /// Brings functions into the helper's table on the unit, once for each Lua state.
    package func load(_ library: String, _ code: LuaCode, within: Duration) async throws {
        guard !state.withLock({ $0.libraries.contains(library) }) else { return }
        try await run(code, within: within)
        state.withLock { _ = $0.libraries.insert(library) }
    }

    private func perform(within: Duration, _ begin: (inout LuaMachine) throws -> [LuaMachine.Action]) async throws -> [UInt8] {
        let begun = clock.now
        let deadline = begun.advanced(by: within)
        var writeCount = 0
        var actions = try state.withLock { state in
            guard state.isInStep, var machine = state.machine else { throw REPLError.outOfStep }
            let actions = try begin(&machine)
            (state.machine, state.isInStep) = (machine, false)
            return actions
        }
        while true {
            for action in actions {
                switch action {
                case .write(let bytes):
                    writeCount += 1
                    try await channel.send(bytes, deadline: deadline)
                case .notification(let notification): keep(notification)
                case .answered(let result):
                    if writeCount == 1 { state.withLock { $0.roundTrip.note(begun.duration(to: clock.now)) } }
                    switch result {
                    case .success, .failure(.lua): state.withLock { $0.isInStep = true }
                    case .failure: break
                    }
                    return try result.get()
                }
            }
            let bytes = try await inbox.next(before: min(deadline, clock.deadline(in: Self.patience)), on: clock)
            guard clock.now < deadline else { throw REPLError.timedOut("an answer of the unit's Lua") }
            actions = state.withLock { state in
                bytes.map { state.machine?.receive($0) ?? [] } ?? state.machine?.silence() ?? []
            }
        }
    }

    /// Begins code that does not come back, such as an update. The session is then out of step.
    public func post(_ code: LuaCode, within: Duration) async throws {
        try leavePrompt()
        guard code.bytes.count <= payloadSize else { throw LinkError.valueTooLong(count: code.bytes.count, limit: payloadSize) }
        try await channel.send(code.bytes, deadline: clock.deadline(in: within))
    }

    func leavePrompt() throws {
        try state.withLock { state in
            guard state.isInStep else { throw REPLError.outOfStep }
            (state.isInStep, state.machine) = (false, nil)
        }
    }

    func keep(_ notification: LuaNotification) {
        state.withLock { state in
            if state.unread.count >= Self.unreadLimit { state.unread.removeFirst() }
            state.unread.append(notification)
        }
    }

    /// What the unit's program sent or printed, beside the answers to commands; `nil` when there was nothing.
    public func next(before deadline: SessionClock.Instant) async throws -> LuaNotification? {
        let kept = state.withLock { $0.unread.isEmpty ? nil : $0.unread.removeFirst() }
        if let kept { return kept }
        return try await inbox.next(before: deadline, on: clock).map { LuaNotification($0) }
    }

    /// Breaks what a command runs, while another task waits for its answer. The command then fails, unless it catches the break.
    public func interrupt(within: Duration) async throws {
        try await channel.send([LuaSignal.interrupt], deadline: clock.deadline(in: within))
    }

    public func close() async {
        state.withLock { $0.isInStep = false }
        await channel.close()
    }
}
