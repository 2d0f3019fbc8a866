import Bluetooth
import Support
import Synchronization

/// A session at a Frame's Lua prompt.
///
/// After a failed wait, and after ``reset(within:)``, the session is out of step: ``run(_:within:)`` throws
/// ``REPLError/outOfStep`` until ``recover(within:)``.
public final class LuaREPL: Sendable {
    struct State {
        var machine: LuaMachine?
        var isInStep = false
        /// What the unit's program sent while something else was awaited.
        var unread: [LuaNotification] = []
        var libraries: Set<String> = []
        var roundTrip = RoundTrip()
        var streamed: Streamed?
    }

    /// After pairing, the unit writes its flash and draws from an interrupt (frame-codebase, `bluetooth.c`).
    private static let pairingPause = Duration.seconds(1)
    /// The packet in flight is sent again after this time.
    static let resendInterval = Duration.seconds(1)
    /// Notifications kept; the oldest are dropped first.
    private static let unreadLimit = 256

    public let clock: SessionClock
    let payloadSize: Int
    let inbox: Inbox<[UInt8]>
    let writer: CharacteristicWriter
    let state = Mutex(State())

    /// Subscribes; the unit's program keeps running.
    init(_ connection: any Connection, _ clock: SessionClock, before deadline: SessionClock.Instant) async throws {
        guard connection.payloadSize >= LuaHelper.leastPayload else {
            throw REPLError.payloadTooSmall(connection.payloadSize, least: LuaHelper.leastPayload)
        }
        if connection.isNewlyBonded { try await clock.sleep(until: clock.deadline(in: Self.pairingPause)) }
        (writer, self.clock) = (CharacteristicWriter(connection, LuaService.receive), clock)
        inbox = try await connection.subscribe(to: LuaService.transmit, deadline: deadline)
        // The unit's buffer holds 244 bytes, whatever the link allows (frame-codebase, `bluetooth.h`).
        payloadSize = min(connection.payloadSize, 244)
    }

    /// Runs code at the prompt.
    /// - Parameter within: from the first byte sent to the last byte of the answer.
    /// - Returns: the result as Lua's `tostring` writes it; empty for `nil`.
    /// - Throws: ``REPLError/lua(_:)`` when the code failed; the session stays in step.
    @discardableResult
    public func run(_ code: LuaCode, within: Duration) async throws -> [UInt8] {
        try await perform(within: within) { $0.run(code) }
    }

    /// Like ``run(_:within:)``, as harmless text without trailing white space.
    public func runText(_ code: String, within: Duration) async throws -> String {
        PrintableText.of(try await run(try LuaCode(code), within: within), keepingLines: true)
    }

    /// Calls a function of the helper or of a loaded library.
    /// - Parameter arguments: Lua text of at most ``callRoom`` bytes including the function name.
    @discardableResult
    package func call(_ function: String, _ arguments: [UInt8] = [], within: Duration) async throws -> [UInt8] {
        try await perform(within: within) { try $0.call(function, arguments) }
    }

    /// Of the fastest command that fitted one write.
    public var roundTrip: Duration { state.withLock(\.roundTrip.duration) }

    /// Bytes available for a call's function name and arguments.
    package var callRoom: Int { payloadSize - LuaHelper.callOverhead }

    /// Adds functions to the helper's table on the unit, once for each Lua state.
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
                    try await writer.send(bytes, deadline: deadline)
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
            let bytes = try await inbox.next(before: min(deadline, clock.deadline(in: Self.resendInterval)), on: clock)
            guard clock.now < deadline else { throw REPLError.timedOut("an answer of the unit's Lua") }
            actions = state.withLock { state in
                bytes.map { state.machine?.receive($0) ?? [] } ?? state.machine?.silence() ?? []
            }
        }
    }

    /// Starts code that does not return, such as an update. The session is then out of step.
    public func post(_ code: LuaCode, within: Duration) async throws {
        try leavePrompt()
        guard code.bytes.count <= payloadSize else { throw LinkError.valueTooLong(count: code.bytes.count, limit: payloadSize) }
        try await writer.send(code.bytes, deadline: clock.deadline(in: within))
    }

    func leavePrompt() throws {
        try state.withLock { state in
            guard state.isInStep else { throw REPLError.outOfStep }
            (state.isInStep, state.machine, state.streamed) = (false, nil, nil)
        }
    }

    func keep(_ notification: LuaNotification) {
        state.withLock { state in
            if state.unread.count >= Self.unreadLimit { state.unread.removeFirst() }
            state.unread.append(notification)
        }
    }

    /// What the unit's program sent or printed besides answers to commands; `nil` if nothing.
    public func next(before deadline: SessionClock.Instant) async throws -> LuaNotification? {
        let kept = state.withLock { $0.unread.isEmpty ? nil : $0.unread.removeFirst() }
        if let kept { return kept }
        return try await inbox.next(before: deadline, on: clock).map { LuaNotification($0) }
    }

    /// Interrupts a command while another task waits for its answer. The command then fails, unless it catches the break.
    public func interrupt(within: Duration) async throws {
        try await writer.send([LuaSignal.interrupt], deadline: clock.deadline(in: within))
    }

    public func close() async {
        state.withLock { $0.isInStep = false }
        await writer.close()
    }
}
