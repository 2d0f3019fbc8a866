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
    /// The host notices a reset by the lost link, after the supervision timeout.
    private static let resetTimeout = Duration.seconds(12)

    private static let versionCode = "import device;print(device.VERSION)"
    private static let batteryCode = "import device;print(device.battery_level())"
    /// What `update.micropython()` does after a countdown of 3 s for a person. Meanwhile the prompt's answer goes out and the host ends the
    /// link, which would else be missed only after the supervision timeout. Firmware without that function counts down.
    private static let bootloaderCode = """
        _n=_nr().use('time','sleep_ms')
        try:
         import _update
         _update.nrf52
         _n(400)
         _update.nrf52()
        except(ImportError,AttributeError):
         \(RemoteHelper.update("micropython"))()
        """

    /// All code sent to a Monocle, except calls of the helpers' methods and the chat's question.
    static var sentCode: [String] {
        PythonREPL.sentCode + FPGAUpdater.sentCode + ScriptInstaller.sentCode
            + [versionCode, batteryCode, bootloaderCode, restartCode] + photoCodes
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
        case .application:
            // At once, where `device.reset()` counts 3 s down for a person.
            restoreGuard.leavesOut()
            try await repl.type([Self.restartByte], within: Self.answerTimeout)
            try await waitUntilGone(orThrow: .doesNotReturn)
        case .bootloader:
            do {
                try await RemoteHelper.ground.ensure(on: repl, within: Self.answerTimeout, asksAnew: true)
            } catch REPLError.lacking {
                // The helper's `update` works without it.
            }
            try await repl.send(try PythonCode(Self.bootloaderCode), within: Self.answerTimeout)
            await connection.disconnect()
            // The program starts by itself if the unit comes back from there.
            restoreGuard.started()
        }
    }

    func recover(isFresh: Bool) async throws {
        try await repl.recover(within: Self.promptTimeout)
        if isFresh { try await repl.softReset(within: Self.promptTimeout) }
    }

    var files: any UnitFiles { PythonFiles(repl: repl) }

    func store(for scripts: ScriptSet) -> any ScriptStore { ScriptInstaller(repl: repl, scripts: scripts) }

    private func waitUntilGone(orThrow error: ProvisioningError) async throws {
        do {
            try await connection.waitUntilGone(deadline: repl.clock.deadline(in: Self.resetTimeout))
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
        try await channel.send([restartByte], deadline: deadline)
        try await connection.waitUntilGone(deadline: deadline)
        await channel.close()
    }

    private static let restartTimeout = Duration.seconds(10)
    private static let restartByte: UInt8 = 0x1C
}
