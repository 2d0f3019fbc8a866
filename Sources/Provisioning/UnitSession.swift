import Bluetooth
import FPGA
import REPL
import ScriptBundle

/// A Monocle at its raw prompt, and the questions every run asks it.
struct UnitSession: Sendable {
    private static let answerPatience = Duration.seconds(5)
    /// `device.reset()` prints for 3 s; the host then notices the lost link after the supervision timeout.
    private static let resetPatience = Duration.seconds(12)

    let repl: PythonREPL
    let connection: any Connection

    func firmwareVersion() async throws -> String {
        try await repl.runText("import device;print(device.VERSION)", within: Self.answerPatience)
    }

    func batteryPercent() async throws -> Int? {
        Int(try await repl.runText("import device;print(device.battery_level())", within: Self.answerPatience))
    }

    func identity(address: DeviceAddress) async throws -> UnitIdentity {
        UnitIdentity(
            address: address, name: "monocle", firmware: try await firmwareVersion(),
            fpga: try await FPGAProbe(repl: repl).readVersion(),
            scripts: try await ScriptInstaller.installedVersion(repl), batteryPercent: try await batteryPercent())
    }

    /// Resets into the bootloader and waits until the link is gone.
    func jumpToBootloader() async throws {
        try await leave(with: "import update;update.micropython()", orThrow: .staysInApplication)
    }

    /// Resets the unit and waits until the link is gone.
    func reset() async throws {
        try await leave(with: "import device;device.reset()", orThrow: .doesNotReturn)
    }

    private func leave(with code: String, orThrow error: ProvisioningError) async throws {
        try await repl.send(try PythonCode(code), within: Self.answerPatience)
        do {
            try await connection.waitUntilGone(deadline: repl.clock.deadline(in: Self.resetPatience))
        } catch LinkError.timedOut {
            throw error
        }
    }

    /// Leaves the prompt and runs `main.py`.
    func startProgram() async throws {
        try await repl.start(within: Self.answerPatience)
    }
}
