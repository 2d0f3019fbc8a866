import Bluetooth
import FPGA
import REPL
import ScriptBundle
import Synchronization

/// A Monocle at its raw prompt, and the questions every run asks it.
struct UnitSession: Sendable {
    private static let answerPatience = Duration.seconds(3)
    /// `device.reset()` prints for 3 s; the host then notices the lost link after the supervision timeout.
    private static let resetPatience = Duration.seconds(12)

    private static let versionCode = "import device;print(device.VERSION)"
    private static let batteryCode = "import device;print(device.battery_level())"
    private static let bootloaderCode = RemoteHelper.update("micropython") + "()"
    private static let resetCode = "import device;device.reset()"

    /// All code that is sent to a Monocle, but for calls of the helpers' methods and the chat's question.
    package static var sentCode: [String] {
        PythonREPL.sentCode + FPGAUpdater.sentCode + ScriptInstaller.sentCode
            + [versionCode, batteryCode, bootloaderCode, resetCode]
    }

    let repl: PythonREPL
    let connection: any Connection
    private let conduct = Conduct()

    /// Whether the unit's program may run on what the unit holds.
    private final class Conduct: Sendable {
        let isWhole = Mutex(true)
    }

    init(repl: PythonREPL, connection: any Connection) {
        self.repl = repl
        self.connection = connection
    }

    /// From here on the unit's program is not started again on the way out: it would run on half of what it needs.
    func beginChanging() { conduct.isWhole.withLock { $0 = false } }

    /// The unit holds all that its program needs.
    func endChanging() { conduct.isWhole.withLock { $0 = true } }

    /// On the way out of a run that ends early: a unit that was only looked at goes on with its program.
    func leaveAsFound() async {
        guard conduct.isWhole.withLock({ $0 }) else { return }
        await repl.clock.shielded(for: Self.farewell) { [self] in
            try await repl.recover(within: Self.farewell)
            try await startProgram()
        }
    }

    /// Ctrl-C waits for it.
    static let farewell = Duration.seconds(2)

    func firmwareVersion() async throws -> String {
        try await repl.runText(Self.versionCode, using: "device.VERSION", within: Self.answerPatience)
    }

    /// `nil` for anything but 0…100.
    func batteryPercent() async throws -> Int? {
        let text = try await repl.runText(Self.batteryCode, using: "device.battery_level", within: Self.answerPatience)
        return Int(text).flatMap { (0...100).contains($0) ? $0 : nil }
    }

    func identity(address: DeviceAddress) async throws -> UnitIdentity {
        UnitIdentity(
            address: address, name: "monocle", firmware: try await insisting { try await firmwareVersion() },
            fpga: try await insisting { try await FPGAProbe(repl: repl).readVersion() },
            scripts: try await insisting { try await scriptsVersion() },
            batteryPercent: try await insisting { try await batteryPercent() })
    }

    /// Asks once more, from a fresh prompt, when an answer was lost or garbled.
    func insisting<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
        do {
            return try await ask()
        } catch REPLError.timedOut, REPLError.garbage, REPLError.unreadable, REPLError.outOfStep {
            try await repl.recover(within: MonocleRadio.promptPatience)
            return try await ask()
        }
    }

    /// A firmware that lacks what it takes to read files is one to be updated: its scripts are not known.
    private func scriptsVersion() async throws -> String? {
        do {
            return try await ScriptInstaller.installedVersion(repl)
        } catch REPLError.lacking {
            return nil
        }
    }

    /// Resets into the bootloader and waits until the link is gone.
    func jumpToBootloader() async throws {
        do {
            try await RemoteHelper.ground.ensure(on: repl, within: Self.answerPatience)
        } catch REPLError.lacking {
            // What finds the firmware's own `update` is there all the same.
        }
        try await leave(with: Self.bootloaderCode, orThrow: .staysInApplication)
    }

    /// Resets the unit and waits until the link is gone.
    func reset() async throws {
        try await leave(with: Self.resetCode, orThrow: .doesNotReturn)
    }

    private func leave(with code: String, orThrow error: ProvisioningError) async throws {
        beginChanging()
        try await repl.send(try PythonCode(code), within: Self.answerPatience)
        do {
            try await connection.waitUntilGone(deadline: repl.clock.deadline(in: Self.resetPatience))
        } catch LinkError.timedOut {
            throw error
        }
    }

    /// Ends the link; the unit stays at its prompt unless its program was started.
    func close() async {
        await repl.close()
        await connection.disconnect()
    }

    /// Leaves the prompt and runs `main.py`.
    func startProgram() async throws {
        try await insisting { _ = try await repl.start(within: Self.answerPatience) }
    }
}
