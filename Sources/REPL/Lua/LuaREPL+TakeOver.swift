import Bluetooth
import Support
import Synchronization

extension LuaREPL {
    /// The unit writes its flash and draws when it was paired, from an interrupt (frame-codebase, `bluetooth.c`).
    private static let pairingPause = Duration.seconds(1)
    /// Nothing may be sent so long before and after a break signal: all that hooks into Lua has one place
    /// (frame-codebase, `luaport.c`).
    private static let breakPause = Duration.milliseconds(200)
    private static let attempts = 5
    private static let quietingTimeout = Duration.seconds(6)

    /// Subscribes and brings the unit to a proven prompt; a program that runs on it is interrupted, its callbacks are taken off.
    /// - Parameter nonce: yields a word of letters and digits that was never used before.
    /// - Throws: ``REPLError/payloadTooSmall(_:least:)``, ``REPLError/programDoesNotStop``, `LinkError`.
    public static func attach(
        to connection: any Connection, clock: SessionClock, within: Duration,
        nonce: @escaping @Sendable () -> String = PythonREPL.randomNonce
    ) async throws -> LuaREPL {
        let deadline = clock.deadline(in: within)
        let repl = try await open(connection, clock: clock, before: deadline, nonce: nonce)
        do {
            try await repl.recover(before: deadline)
        } catch {
            // The program may have been interrupted already.
            if error is CancellationError { await repl.putBack() }
            await repl.close()
            throw error
        }
        return repl
    }

    /// Without taking the unit over: its program goes on.
    static func open(
        _ connection: any Connection, clock: SessionClock, before deadline: SessionClock.Instant, nonce: @escaping @Sendable () -> String
    ) async throws -> LuaREPL {
        guard connection.payloadSize >= LuaHelper.leastPayload else {
            throw REPLError.payloadTooSmall(connection.payloadSize, least: LuaHelper.leastPayload)
        }
        if connection.isNewlyBonded { try await clock.sleep(until: clock.deadline(in: pairingPause)) }
        let inbox = try await connection.subscribe(to: LuaService.transmit, deadline: deadline)
        let channel = try await connection.openChannel(to: LuaService.receive, deadline: deadline)
        return LuaREPL(connection: connection, inbox: inbox, channel: channel, clock: clock, nonce: nonce)
    }

    /// Interrupts what runs and proves the prompt anew; Lua's globals stay.
    /// - Throws: ``REPLError/programDoesNotStop``, `LinkError`.
    public func recover(within: Duration) async throws { try await recover(before: clock.deadline(in: within)) }

    func recover(before deadline: SessionClock.Instant) async throws {
        let key = nonce()
        try await reachPrompt(key, before: deadline)
        for (index, command) in LuaHelper.installation(key: key, payloadSize: payloadSize).enumerated() {
            guard try await confirm(command, by: LuaHelper.confirmed(key, index), times: Self.attempts, before: deadline) else {
                throw REPLError.timedOut("an answer of the unit's Lua")
            }
        }
        state.withLock { ($0.machine, $0.isInStep) = (LuaMachine(key: key, payloadSize: payloadSize), true) }
        for code in Self.quieting { try await run(try LuaCode(code), within: min(Self.quietingTimeout, clock.now.duration(to: deadline))) }
    }

    /// What a program leaves behind a break: callbacks, a microphone that runs, and the file `f` of the apps' uploads. A microphone
    /// that was told to stop has to be left alone for a while: to start or to stop it at once resets the unit (nrfx, `nrfx_pdm.c`).
    static let quieting = [
        "pcall(frame.bluetooth.receive_callback,nil)pcall(frame.imu.tap_callback,nil)",
        "pcall(frame.microphone.stop)frame.sleep(0.06)",
        "pcall(function()f:close()end)f=nil",
    ]

    /// All code that this part sends to a unit.
    package static var sentCode: [String] { [LuaHelper.source(key: "word", payloadSize: 244)] + quieting }

    /// Break, and a print that only an idle prompt answers.
    private func reachPrompt(_ key: String, before deadline: SessionClock.Instant) async throws {
        state.withLock { ($0.isInStep, $0.machine, $0.libraries) = (false, nil, []) }
        let proof = "\(key) prompt"
        for _ in 0..<Self.attempts where clock.now < deadline {
            try await clock.sleep(until: clock.deadline(in: Self.breakPause))
            try await channel.send([LuaSignal.interrupt], deadline: deadline)
            try await clock.sleep(until: clock.deadline(in: Self.breakPause))
            if try await confirm(Array("print(\"\(proof)\")".utf8), by: Array(proof.utf8), times: 1, before: deadline) { return }
        }
        throw REPLError.programDoesNotStop
    }

    /// Sends a command until the unit says what it is to print.
    private func confirm(_ command: [UInt8], by answer: [UInt8], times: Int, before deadline: SessionClock.Instant) async throws -> Bool {
        for _ in 0..<times where clock.now < deadline {
            try await channel.send(command, deadline: deadline)
            let end = min(deadline, clock.deadline(in: Self.patience))
            while clock.now < end, let bytes = try await inbox.next(before: end, on: clock) {
                if bytes == answer { return true }
                keep(LuaNotification(bytes))
            }
        }
        return false
    }

    /// Starts the unit's program again although the caller is cancelled, whatever the session was doing.
    public func putBack(within limit: Duration = PythonREPL.farewell) async {
        await clock.shielded(for: limit) { [self] in
            if !state.withLock({ $0.isInStep }) { try await interruptProgram(before: clock.deadline(in: limit)) }
            try await reset(within: limit)
        }
    }

    /// As far as a restart needs it: a microphone that runs through it would reset the unit.
    private func interruptProgram(before deadline: SessionClock.Instant) async throws {
        let key = nonce()
        try await reachPrompt(key, before: deadline)
        _ = try await confirm(
            Array("pcall(frame.microphone.stop)frame.sleep(.06)print(\"\(key)\")".utf8), by: Array(key.utf8), times: 1, before: deadline)
        state.withLock { $0.isInStep = true }
    }

    /// Starts `main.lua` in a new Lua state. The session is then out of step, and nothing may be sent before the program has said
    /// that it is ready: callbacks of the old state are still called (frame-codebase, `luaport.c`).
    /// - Throws: ``REPLError/outOfStep`` while the prompt is not proven.
    public func reset(within: Duration) async throws {
        try state.withLock { state in
            guard state.isInStep else { throw REPLError.outOfStep }
            (state.isInStep, state.machine, state.unread) = (false, nil, [])
        }
        while inbox.poll() != nil {}
        try await channel.send([LuaSignal.reset], deadline: clock.deadline(in: within))
    }
}
