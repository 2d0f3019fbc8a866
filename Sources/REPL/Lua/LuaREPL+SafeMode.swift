import Bluetooth
import Support
import Synchronization

extension LuaREPL {
    /// The program, and its name during a restart without it. The name differs from that of an upload, which may be half a
    /// file.
    private static let (main, aside) = ("main.lua", "main.lua.aside")
    /// Used when the owner has a file of that name. If both exist and `main.lua` does not, this one is the program.
    private static let second = "\(aside).2"

    /// The program may have replaced the firmware's other functions. Renaming a file to its own name changes nothing (LittleFS,
    /// `lfs_rename`).
    private static func rename(_ old: String, to new: String) -> String { "frame.file.rename(\"\(old)\",\"\(new)\")" }

    static let renames = [main, aside, second].map { rename($0, to: $0) }
        + [aside, second].flatMap { [rename(main, to: $0), rename($0, to: main)] }

    /// The name of the program that was put aside, if there is no other.
    static let isAside = """
        local function is(n)
        local o,f=pcall(frame.file.open,n,"r")
        if o then f:close()end
        return o
        end
        if is("\(main)")then return""end
        return is("\(second)")and"\(second)"or is("\(aside)")and"\(aside)"or""
        """
    /// From a restart to the report that there is no program, which older firmware does not send.
    private static let startTimeout = Duration.milliseconds(1500)

    /// Restarts Lua without the unit's program, even if the program has replaced Lua's functions. The unit then stays at its
    /// prompt.
    ///
    /// A break ends the program, and `main.lua` has another name during the restart. If the link is lost in between,
    /// ``programAside(putsBack:within:)`` restores the name.
    /// - Parameter restored: called when a cancelled restart has started the program again.
    public static func restartWithoutProgram(
        over connection: any Connection, clock: SessionClock, within: Duration, restored: @escaping @Sendable () -> Void
    ) async throws {
        let deadline = clock.deadline(in: within)
        let repl = try await LuaREPL(connection, clock, before: deadline)
        do {
            try await repl.leaveProgramOut(before: deadline)
        } catch {
            if error is CancellationError { await repl.restart(restored) }
            await repl.close()
            throw error
        }
        await repl.close()
    }

    /// Restarts with the program, however far a restart without it got.
    private func restart(_ restored: @escaping @Sendable () -> Void) async {
        await clock.shielded(for: PythonREPL.shutdownGrace) { [self] in
            let deadline = clock.deadline(in: PythonREPL.shutdownGrace)
            try await reachPrompt(before: deadline)
            try await giveNameBack(before: deadline)
            try await restart(before: deadline)
            restored()
        }
    }

    /// The program's name after an interrupted restart without it; `nil` if it has its own name, or there is no program.
    public func programAside(putsBack: Bool, within: Duration) async throws -> String? {
        let name = try await runText(Self.isAside, within: within)
        guard name == Self.aside || name == Self.second else { return nil }
        if putsBack { try await run(try LuaCode(Self.rename(name, to: Self.main)), within: within) }
        return name
    }

    private func leaveProgramOut(before deadline: SessionClock.Instant) async throws {
        try await reachPrompt(before: deadline)
        if try await isThere(Self.main, before: deadline) {
            guard try await !isThere(Self.second, before: deadline) else {
                throw REPLError.programInTheWay("there is a file \(Self.second)")
            }
            let name = try await isThere(Self.aside, before: deadline) ? Self.second : Self.aside
            try await perform(Self.rename(Self.main, to: name), before: deadline)
        }
        state.withLock { $0.unread = [] }
        try await restart(before: deadline)
        let end = min(deadline, clock.deadline(in: Self.startTimeout))
        while clock.now < end, let notification = try await next(before: end) {
            if case .text(let bytes) = notification, LuaException(bytes).isMissingProgram { break }
        }
        try await reachPrompt(before: deadline)
        try await giveNameBack(before: deadline)
    }

    private func giveNameBack(before deadline: SessionClock.Instant) async throws {
        guard try await !isThere(Self.main, before: deadline) else { return }
        if try await !perform(Self.rename(Self.second, to: Self.main), before: deadline) {
            try await perform(Self.rename(Self.aside, to: Self.main), before: deadline)
        }
    }

    private func isThere(_ name: String, before deadline: SessionClock.Instant) async throws -> Bool {
        try await perform(Self.rename(name, to: name), before: deadline)
    }

    /// Runs a command on a file and returns whether it found the file. A second command would replace a waiting one, so this
    /// one ends by calling an undefined name, whose error proves that it ran.
    @discardableResult
    private func perform(_ command: String, before deadline: SessionClock.Instant) async throws -> Bool {
        let word = "_\(PythonREPL.randomNonce())"
        let call = Array("\(command) \(word)()".utf8)
        switch try await confirm(call, times: 1, before: deadline, by: { $0.contains(bytes: word.utf8) }) {
        case .confirmed: return true
        case .refused(let exception) where exception.message.hasSuffix("error renaming file/directory"): return false
        case .refused(let exception): throw REPLError.programInTheWay(exception.message)
        case .silent: throw REPLError.timedOut("an answer of the unit's Lua")
        }
    }
}
