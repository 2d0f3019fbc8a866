import Bluetooth
import Support
import Synchronization

/// A session with a Frame's Lua at its prompt. One task uses it at a time.
///
/// After a wait that failed, and after ``reset(within:)``, the session is out of step: ``run(_:within:)`` throws
/// ``REPLError/outOfStep`` until ``recover(within:)`` has proven the prompt again.
public final class LuaREPL: Sendable {
    struct State {
        var machine: LuaMachine?
        /// At a proven prompt.
        var isInStep = false
        /// What the unit's program said while something else was waited for.
        var unread: [LuaNotification] = []
        /// Names of what was loaded into the unit's Lua (``LuaLibrary``).
        var libraries: Set<String> = []
        /// Of the fastest command that one write carried.
        var roundTrip = RoundTrip()
    }

    /// The unit gets what is under way once more after so long.
    static let patience = Duration.seconds(1)
    /// Notifications that are kept; the oldest go first.
    private static let unreadLimit = 256

    public let clock: SessionClock
    public let payloadSize: Int
    let connection: any Connection
    let inbox: Inbox<[UInt8]>
    let channel: any WriteChannel
    let nonce: @Sendable () -> String
    let state = Mutex(State())

    init(
        connection: any Connection, inbox: Inbox<[UInt8]>, channel: any WriteChannel, clock: SessionClock,
        nonce: @escaping @Sendable () -> String
    ) {
        self.connection = connection
        self.inbox = inbox
        self.channel = channel
        self.clock = clock
        self.nonce = nonce
        // The unit's buffer takes 244 bytes, whatever the link does (frame-codebase, `bluetooth.h`).
        payloadSize = min(connection.payloadSize, 244)
    }

    /// Runs code at the prompt.
    /// - Parameter within: from the first byte sent to the last of the answer.
    /// - Returns: what it returned, as Lua's `tostring` gives it; nothing for `nil`.
    /// - Throws: ``REPLError/lua(_:)`` when it failed (the session stays in step), ``REPLError``, `LinkError`.
    @discardableResult
    public func run(_ code: LuaCode, within: Duration) async throws -> [UInt8] {
        try await perform(within: within) { $0.run(code) }
    }

    /// Calls a function of the helper or of a library that was loaded.
    /// - Parameter arguments: Lua text of at most ``callRoom`` bytes, the function's name included.
    /// - Throws: as ``run(_:within:)``.
    @discardableResult
    package func call(_ function: String, _ arguments: [UInt8] = [], within: Duration) async throws -> [UInt8] {
        try await perform(within: within) { try $0.call(function, arguments) }
    }

    package var roundTrip: Duration { state.withLock(\.roundTrip.duration) }

    /// What one call holds: its function's name and its arguments.
    package var callRoom: Int { payloadSize - LuaHelper.callOverhead }

    /// Brings functions to the unit, once for each Lua state.
    package func load(_ library: LuaLibrary, within: Duration) async throws {
        guard !state.withLock({ $0.libraries.contains(library.name) }) else { return }
        try await run(library.code, within: within)
        state.withLock { _ = $0.libraries.insert(library.name) }
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
            if let result = try await perform(actions, before: deadline) {
                if writeCount == 1 { state.withLock { $0.roundTrip.note(begun.duration(to: clock.now)) } }
                return try conclude(result)
            }
            writeCount += actions.count { if case .write = $0 { true } else { false } }
            let wait = min(deadline, clock.deadline(in: Self.patience))
            let bytes = try await inbox.next(before: wait, on: clock)
            guard clock.now < deadline else { throw REPLError.timedOut("an answer of the unit's Lua") }
            actions = state.withLock { state in
                bytes.map { state.machine?.receive($0) ?? [] } ?? state.machine?.silence() ?? []
            }
        }
    }

    /// As ``run(_:within:)``, for text of Lua.
    /// - Returns: harmless text without trailing white space.
    public func runText(_ code: String, within: Duration) async throws -> String {
        PrintableText.of(try await run(try LuaCode(code), within: within), keepingLines: true)
    }

    private func perform(
        _ actions: [LuaMachine.Action], before deadline: SessionClock.Instant
    ) async throws -> Result<[UInt8], LuaMachine.LuaFailure>? {
        var result: Result<[UInt8], LuaMachine.LuaFailure>?
        for action in actions {
            switch action {
            case .write(let bytes): try await channel.send(bytes, deadline: deadline)
            case .answered(let answer): result = answer
            case .notification(let notification): keep(notification)
            }
        }
        return result
    }

    /// Begins code that does not come back, such as an update. The session is then out of step.
    public func post(_ code: LuaCode, within: Duration) async throws {
        try state.withLock { state in
            guard state.isInStep else { throw REPLError.outOfStep }
            (state.isInStep, state.machine) = (false, nil)
        }
        guard code.bytes.count <= payloadSize else { throw LinkError.valueTooLong(count: code.bytes.count, limit: payloadSize) }
        try await channel.send(code.bytes, deadline: clock.deadline(in: within))
    }

    private func conclude(_ result: Result<[UInt8], LuaMachine.LuaFailure>) throws -> [UInt8] {
        switch result {
        case .success(let answer):
            state.withLock { $0.isInStep = true }
            return answer
        case .failure(.raised(let exception)):
            state.withLock { $0.isInStep = true }
            throw REPLError.lua(exception)
        case .failure(.cutShort): throw REPLError.cutShort
        case .failure(.helperGone): throw REPLError.garbage("an answer: its Lua was restarted")
        case .failure(.tooLong(let limit)): throw REPLError.outputOverflow(limit: limit)
        }
    }

    var unread: [LuaNotification] { state.withLock { $0.unread } }

    func forgetUnread() { state.withLock { $0.unread = [] } }

    func keep(_ notification: LuaNotification) {
        state.withLock { state in
            if state.unread.count >= Self.unreadLimit { state.unread.removeFirst() }
            state.unread.append(notification)
        }
    }

    /// What the unit's program sent or printed, beside the answers to commands.
    /// - Returns: `nil` when there was nothing.
    public func next(before deadline: SessionClock.Instant) async throws -> LuaNotification? {
        let kept = state.withLock { $0.unread.isEmpty ? nil : $0.unread.removeFirst() }
        if let kept { return kept }
        return try await inbox.next(before: deadline, on: clock).map { LuaNotification($0) }
    }

    /// Breaks what a command runs, while another task waits for its answer. The command fails with that, unless it catches the break.
    public func interrupt(within: Duration) async throws {
        try await channel.send([LuaSignal.interrupt], deadline: clock.deadline(in: within))
    }

    /// Sends a message to the program. The unit holds one at a time, so each has to be answered before the next one is sent.
    /// - Throws: `LinkError`; its `valueTooLong` for more than the payload less one byte.
    public func send(_ message: [UInt8], within: Duration) async throws {
        guard message.count < payloadSize else { throw LinkError.valueTooLong(count: message.count, limit: payloadSize - 1) }
        try await channel.send([LuaSignal.message] + message, deadline: clock.deadline(in: within))
    }

    /// Closes the channel; the connection stays.
    public func close() async {
        state.withLock { $0.isInStep = false }
        await channel.close()
    }
}
