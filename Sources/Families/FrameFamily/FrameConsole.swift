import Bluetooth
import Provisioning
import REPL
import ScriptBundle
import Support

/// A Frame at its Lua prompt.
struct FrameConsole: PromptConsole {
    static let answerTimeout = Duration.seconds(3)
    /// Enough to interrupt a program five times.
    static let promptTimeout = Duration.seconds(20)
    /// The host notices after the supervision timeout of 2 s (frame-codebase, `bluetooth.c`).
    private static let resetTimeout = Duration.seconds(12)
    /// For a new Lua state and the first lines of `main.lua`.
    private static let freshStart = Duration.milliseconds(500)
    /// In characters.
    private static let versionLimit = 80

    private static let versionCode = "return frame.FIRMWARE_VERSION"
    private static let batteryCode = "return math.floor(frame.battery_level()+.5)"
    private static let updateCode = "frame.update()"
    /// The first line of `main.lua`, or the version that a program sets elsewhere.
    private static let scriptsCode = """
        local o,f=pcall(frame.file.open,"main.lua","r")
        if not o then return end
        local _,s=pcall(f.read,f)
        f:close()
        return((s or""):match('^ARGPT_VERSION="([^"]*)"')or tostring(ARGPT_VERSION or"")):sub(1,160)
        """
    static let runningVersionCode = "return tostring(ARGPT_VERSION or\"\"):sub(1,160)"

    /// All code sent to a Frame, except calls with arguments and the chat's question.
    static var sentCode: [String] {
        LuaREPL.sentCode + [versionCode, batteryCode, updateCode, scriptsCode, runningVersionCode, rerunCode] + FrameFiles.sentCode
            + photoCodes
    }

    let repl: LuaREPL
    let connection: any Connection
    let restoreGuard: RestoreGuard

    init(repl: LuaREPL, connection: any Connection, restoreGuard: RestoreGuard) {
        (self.repl, self.connection, self.restoreGuard) = (repl, connection, restoreGuard)
        restoreGuard.interrupted()
    }

    func version(of component: Component) async throws -> String? {
        switch component {
        case .firmware: try await ask(Self.versionCode)
        case .scripts: try await ask(Self.scriptsCode)
        default: nil
        }
    }

    func ask(_ code: String) async throws -> String? {
        let text = try await insisting { try await repl.runText(code, within: Self.answerTimeout) }
        return text.isEmpty ? nil : String(text.prefix(Self.versionLimit))
    }

    func facts() async throws -> [UnitFact] {
        let percent = try await ask(Self.batteryCode).flatMap { Int($0) }
        return percent.flatMap { (0...100).contains($0) ? [.battery(percent: $0)] : nil } ?? []
    }

    func reboot(into mode: UnitMode) async throws {
        guard mode == .bootloader else { throw FrameError.noRestart }
        do {
            try await insisting { try await repl.post(try LuaCode(Self.updateCode), within: Self.answerTimeout) }
            try await connection.waitUntilGone(deadline: repl.clock.deadline(in: Self.resetTimeout))
        } catch LinkError.disconnected {
        } catch LinkError.timedOut {
            throw ProvisioningError.staysInApplication
        }
        // Its program starts by itself.
        restoreGuard.started()
    }

    func recover(isFresh: Bool) async throws {
        try await repl.recover(within: Self.promptTimeout)
        guard isFresh else { return }
        try await repl.reset(within: Self.answerTimeout)
        try await repl.clock.sleep(until: repl.clock.deadline(in: Self.freshStart))
        try await repl.recover(within: Self.promptTimeout)
    }

    private static let restartTimeout = Duration.seconds(30)

    static func restartWithoutProgram(_ connection: any Connection, _ clock: SessionClock, _ restoreGuard: RestoreGuard) async throws {
        restoreGuard.leavesOut()
        try await LuaREPL.restartWithoutProgram(over: connection, clock: clock, within: restartTimeout) { restoreGuard.started() }
    }

    func programAside(putsBack: Bool) async throws -> String? {
        try await insisting { try await repl.programAside(putsBack: putsBack, within: Self.answerTimeout) }
    }

    func restoreProgram() async {
        guard restoreGuard.owesStart else { return }
        if restoreGuard.hasLeftOut {
            await repl.clock.shielded(for: Self.shutdownGrace) { _ = try await programAside(putsBack: true) }
        }
        await repl.putBack(within: Self.shutdownGrace)
    }

    func fileNames() async throws -> [String] {
        try await insisting { try await FrameFiles(repl: repl).survey([], seed: 0) }.keys.map { PrintableText.of($0.utf8) }
    }

    var files: any UnitFiles { FrameFiles(repl: repl) }

    func store(for scripts: ScriptSet) -> any ScriptStore { FrameScripts(console: self, scripts: scripts) }

    func startProgram() async throws {
        try await insisting { try await repl.reset(within: Self.answerTimeout) }
        restoreGuard.started()
    }
}

extension FrameConsole {
    /// Brings a unit to its prompt. On cancellation the unit's program may already be stopped.
    static func open(
        _ connection: any Connection, _ clock: SessionClock, _ restoreGuard: RestoreGuard
    ) async throws -> FrameConsole {
        let repl = try await ProvisioningError.blaming(ProvisioningError.restartsWhenInterrupted) {
            try await LuaREPL.attach(to: connection, clock: clock, within: promptTimeout)
        }
        return FrameConsole(repl: repl, connection: connection, restoreGuard: restoreGuard)
    }
}
