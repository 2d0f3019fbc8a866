import Bluetooth
import Support
import Synchronization

extension LuaREPL {
    /// No other command may come this close before or after a break: Lua has only one hook (frame-codebase, `luaport.c`).
    static let breakPause = Duration.milliseconds(200)
    private static let attempts = 5
    /// A command that comes before the prompt has read the restart would replace it; an idle prompt looks every 10 ms (frame-codebase,
    /// `luaport.c`).
    private static let restartPause = Duration.milliseconds(100)
    private static let quietingTimeout = Duration.seconds(6)

    /// Brings the unit to a proven prompt. Interrupts its program and removes the program's callbacks.
    public static func attach(
        to connection: any Connection, clock: SessionClock, within: Duration
    ) async throws -> LuaREPL {
        let deadline = clock.deadline(in: within)
        let repl = try await LuaREPL(connection, clock, before: deadline)
        do {
            try await repl.recover(before: deadline)
        } catch {
            // The program may already be interrupted.
            if error is CancellationError { await repl.putBack() }
            await repl.close()
            throw error
        }
        return repl
    }

    /// Interrupts what runs and proves the prompt again; Lua's globals remain.
    public func recover(within: Duration) async throws { try await recover(before: clock.deadline(in: within)) }

    func recover(before deadline: SessionClock.Instant) async throws {
        if try await leaveStream(before: deadline) { return try await quiet(before: deadline) }
        let key = PythonREPL.randomNonce()
        try await reachPrompt(key, before: deadline)
        for (index, command) in LuaHelper.installation(key: key, payloadSize: payloadSize).enumerated() {
            let confirmation = LuaHelper.confirmed(key, index)
            switch try await confirm(command, times: Self.attempts, before: deadline, by: { $0 == confirmation }) {
            case .confirmed: continue
            case .refused(let exception): throw REPLError.programInTheWay(exception.message)
            case .silent: throw REPLError.programInTheWay("print says nothing")
            }
        }
        state.withLock { ($0.machine, $0.isInStep) = (LuaMachine(key: key, payloadSize: payloadSize), true) }
        try await quiet(before: deadline)
    }

    /// Removes what a program left, and checks that it has not replaced what the helper relies on.
    private func quiet(before deadline: SessionClock.Instant) async throws {
        do {
            for (index, code) in Self.quieting.enumerated() {
                let answer = try await run(try LuaCode(code), within: min(Self.quietingTimeout, clock.now.duration(to: deadline)))
                guard index > 0 || answer == Self.soundness.answer else {
                    throw REPLError.programInTheWay("its functions behave differently from Lua's")
                }
            }
        } catch REPLError.lua(let exception) {
            throw REPLError.programInTheWay(exception.message)
        } catch let error as REPLError where error == .cutShort {
            throw REPLError.programInTheWay("its functions fail")
        } catch REPLError.timedOut {
            throw REPLError.programInTheWay("its functions do not answer")
        }
    }

    /// Whether the functions behind answers and files are still those of Lua and the firmware.
    private static let soundness = (
        code: """
            return #tostring(12)+select("#",1,2)..type(pcall)..table.concat{"a","b"}..math.floor(2.5)..("%d"):format(7)..\
            string.unpack("<i2",string.pack("<I2",258))..type(frame.file.open)..type(frame.file.rename)..type(frame.sleep)..\
            type(frame.battery_level)..#{("x y"):match("(x) (y)")}..tostring(ipairs{}==next)..tostring(pcall(error))
            """.replacing("\\\n", with: ""),
        answer: Array("4functionab27258functionfunctionfunctionfunction2falsefalse".utf8))

    /// Removes what a program leaves after a break: callbacks, a running microphone, and the file `f` of the apps' uploads.
    /// Starting or stopping a microphone right after a stop resets the unit (nrfx, `nrfx_pdm.c`).
    static let quieting = [
        "pcall(frame.bluetooth.receive_callback,nil)pcall(frame.imu.tap_callback,nil)" + soundness.code,
        "pcall(frame.microphone.stop)frame.sleep(0.06)",
        "pcall(function()f:close()end)f=nil",
    ]

    package static var sentCode: [String] { [LuaHelper.source(key: "word", payloadSize: 244)] + quieting + renames + [isAside, streaming] }

    /// Sends a break, and a line that is not Lua. Only an idle prompt answers with the error for it, which no program can
    /// replace.
    func reachPrompt(_ key: String = PythonREPL.randomNonce(), before deadline: SessionClock.Instant) async throws {
        state.withLock { ($0.isInStep, $0.machine, $0.libraries) = (false, nil, []) }
        for _ in 0..<Self.attempts where clock.now < deadline {
            try await clock.sleep(until: clock.deadline(in: Self.breakPause))
            try await writer.send([LuaSignal.interrupt], deadline: deadline)
            try await clock.sleep(until: clock.deadline(in: Self.breakPause))
            if try await isAtPrompt(key, before: deadline) { return }
        }
        throw REPLError.programDoesNotStop
    }

    func isAtPrompt(_ key: String, before deadline: SessionClock.Instant) async throws -> Bool {
        let word = Array(key.utf8)
        let answer = try await confirm([UInt8(ascii: "?")] + word, times: 1, before: deadline) {
            LuaException($0).isOfAChunk && $0.contains(bytes: word)
        }
        if case .refused(let exception) = answer, exception.isMemoryError { throw REPLError.programInTheWay(exception.message) }
        return answer == .confirmed
    }

    /// A late answer to an earlier attempt does not count.
    private func isRefusal(_ exception: LuaException) -> Bool {
        exception.isOfAChunk && !exception.endsProgram && !exception.isInterruption && !exception.message.hasPrefix("[string \"?")
    }

    enum Confirmation: Equatable {
        case confirmed
        case refused(LuaException)
        case silent
    }

    /// Sends a command until the unit prints the expected word or an error.
    func confirm(
        _ command: [UInt8], times: Int, before deadline: SessionClock.Instant, by isAnswer: ([UInt8]) -> Bool
    ) async throws -> Confirmation {
        for _ in 0..<times where clock.now < deadline {
            try await writer.send(command, deadline: deadline)
            let end = min(deadline, clock.deadline(in: Self.resendInterval))
            while clock.now < end, let bytes = try await inbox.next(before: end, on: clock) {
                if isAnswer(bytes) { return .confirmed }
                keep(LuaNotification(bytes))
                let exception = LuaException(bytes)
                if exception.isMemoryError || isRefusal(exception) { return .refused(exception) }
            }
        }
        return .silent
    }

    public func putBack(within limit: Duration = PythonREPL.shutdownGrace) async {
        await clock.shielded(for: limit) { [self] in
            if !state.withLock({ $0.isInStep }) { try await interruptProgram(before: clock.deadline(in: limit)) }
            try await reset(within: limit)
        }
    }

    /// Does only what a restart needs: a microphone that keeps running through it would reset the unit.
    private func interruptProgram(before deadline: SessionClock.Instant) async throws {
        let key = PythonREPL.randomNonce()
        try await reachPrompt(key, before: deadline)
        let word = Array(key.utf8)
        _ = try await confirm(
            Array("pcall(frame.microphone.stop)frame.sleep(.06)print(\"\(key)\")".utf8), times: 1, before: deadline, by: { $0 == word })
        state.withLock { $0.isInStep = true }
    }

    /// Starts `main.lua` in a new Lua state. The session is then out of step. Send the program nothing before it reports that it
    /// is ready: callbacks of the old state are still called (frame-codebase, `luaport.c`).
    public func reset(within: Duration) async throws {
        try leavePrompt()
        state.withLock { $0.unread = [] }
        while inbox.poll() != nil {}
        try await restart(before: clock.deadline(in: within))
    }

    /// At a prompt. A program may say nothing, so only the response to the write proves that the restart arrived.
    func restart(before deadline: SessionClock.Instant) async throws {
        guard clock.now < deadline else { throw REPLError.timedOut("the restart of the unit's Lua") }
        try await writer.deliver([LuaSignal.reset], deadline: deadline)
        try await clock.sleep(until: clock.deadline(in: Self.restartPause))
    }
}
