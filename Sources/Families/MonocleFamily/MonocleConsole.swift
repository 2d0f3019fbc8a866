import Bluetooth
import FPGA
import Provisioning
import REPL
import ScriptBundle
import Support

/// A Monocle at its raw prompt.
struct MonocleConsole: PythonConsole {
    static let answerTimeout = Duration.seconds(3)
    static let promptTimeout = Duration.seconds(10)
    /// `device.reset()` prints for 3 s; the host then notices the lost link after the supervision timeout.
    private static let resetTimeout = Duration.seconds(12)

    private static let versionCode = "import device;print(device.VERSION)"
    private static let batteryCode = "import device;print(device.battery_level())"
    private static let bootloaderCode = RemoteHelper.update("micropython") + "()"
    private static let resetCode = "import device;device.reset()"

    /// All code sent to a Monocle, except calls of the helpers' methods and the chat's question.
    static var sentCode: [String] {
        PythonREPL.sentCode + FPGAUpdater.sentCode + ScriptInstaller.sentCode
            + [versionCode, batteryCode, bootloaderCode, resetCode, restartCode]
    }

    let repl: PythonREPL
    let connection: any Connection
    let restoreGuard: RestoreGuard

    init(repl: PythonREPL, connection: any Connection, restoreGuard: RestoreGuard) {
        (self.repl, self.connection, self.restoreGuard) = (repl, connection, restoreGuard)
        restoreGuard.interrupted()
    }

    /// In characters.
    private static let versionLimit = 80

    func version(of component: Component) async throws -> String? {
        try await insisting {
            switch component {
            case .firmware: try await firmwareVersion()
            case .fpga: try await FPGAProbe(repl: repl).readVersion()
            case .scripts: try await scriptsVersion()
            default: nil
            }
        }
    }

    private func firmwareVersion() async throws -> String {
        let text = try await repl.runText(Self.versionCode, using: "device.VERSION", within: Self.answerTimeout)
        return String(text.prefix(Self.versionLimit))
    }

    func facts() async throws -> [UnitFact] {
        try await insisting {
            let text = try await repl.runText(Self.batteryCode, using: "device.battery_level", within: Self.answerTimeout)
            return Int(text).flatMap { (0...100).contains($0) ? [.battery(percent: $0)] : nil } ?? []
        }
    }

    /// `nil` if the firmware cannot read files.
    private func scriptsVersion() async throws -> String? {
        do {
            return try await ScriptInstaller.installedVersion(repl)
        } catch REPLError.lacking {
            return nil
        }
    }

    func reboot(into mode: UnitMode) async throws {
        switch mode {
        case .application: try await leave(with: Self.resetCode, orThrow: .doesNotReturn)
        case .bootloader:
            do {
                try await RemoteHelper.ground.ensure(on: repl, within: Self.answerTimeout, asksAnew: true)
            } catch REPLError.lacking {
                // The helper's `update` works without it.
            }
            try await leave(with: Self.bootloaderCode, orThrow: .staysInApplication)
        }
    }

    func recover(isFresh: Bool) async throws {
        try await repl.recover(within: Self.promptTimeout)
        if isFresh { try await repl.softReset(within: Self.promptTimeout) }
    }

    var files: any UnitFiles { PythonFiles(repl: repl) }

    func store(for scripts: ScriptSet) -> any ScriptStore { ScriptInstaller(repl: repl, scripts: scripts) }

    private func leave(with code: String, orThrow error: ProvisioningError) async throws {
        try await repl.send(try PythonCode(code), within: Self.answerTimeout)
        do {
            try await connection.waitUntilGone(deadline: repl.clock.deadline(in: Self.resetTimeout))
            // The program starts by itself.
            restoreGuard.started()
        } catch LinkError.timedOut {
            throw error
        }
    }

    func startProgram() async throws {
        try await insisting { _ = try await repl.start(within: Self.answerTimeout) }
        restoreGuard.started()
    }

    func takePrinted() -> [UInt8] { repl.takePrinted() }
}

extension MonocleConsole {
    /// Brings a unit to its raw prompt. On cancellation the unit's program may already be stopped.
    static func open(
        _ connection: any Connection, _ clock: SessionClock, _ restoreGuard: RestoreGuard
    ) async throws -> MonocleConsole {
        do {
            let repl = try await ProvisioningError.blaming(ProvisioningError.restartsWhenInterrupted) {
                try await PythonREPL.attach(to: connection, clock: clock, within: promptTimeout)
            }
            return MonocleConsole(repl: repl, connection: connection, restoreGuard: restoreGuard)
        } catch is CancellationError {
            await clock.shielded(for: shutdownGrace) {
                let repl = try await PythonREPL.attach(to: connection, clock: clock, within: shutdownGrace)
                await MonocleConsole(repl: repl, connection: connection, restoreGuard: restoreGuard).restoreProgram()
            }
            throw CancellationError()
        }
    }

    /// The byte 0x1C restarts the unit without running `main.py`, whatever its program does (monocle-micropython).
    static func restartWithoutProgram(_ connection: any Connection, _ clock: SessionClock, _ restoreGuard: RestoreGuard) async throws {
        let deadline = clock.deadline(in: restartTimeout)
        // Without response: a unit that resets does not answer a write.
        let channel = try await connection.openChannel(to: REPLService.receive, deadline: deadline)
        restoreGuard.leavesOut()
        try await channel.send([0x1C], deadline: deadline)
        try await connection.waitUntilGone(deadline: deadline)
        await channel.close()
    }

    private static let restartTimeout = Duration.seconds(10)
}
