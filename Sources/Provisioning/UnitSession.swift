import Bluetooth
import FPGA
import REPL
import ScriptBundle
import Support
import Synchronization

/// What a run owes a unit's program, over all its links.
final class Conduct: Sendable {
    private struct State {
        var isStopped = false
        var isLeftOut = false
        var changing: Set<Part> = []
    }

    private let state = Mutex(State())

    /// The program does not run because of this run, and what it needs is whole.
    var owesStart: Bool { state.withLock { $0.isStopped && $0.changing.isEmpty } }

    /// The unit restarts without its program.
    var hasLeftOut: Bool { state.withLock { $0.isLeftOut } }

    func interrupted() { state.withLock { $0.isStopped = true } }
    func leavesOut() { state.withLock { ($0.isStopped, $0.isLeftOut) = (true, true) } }
    func started() { state.withLock { ($0.isStopped, $0.isLeftOut) = (false, false) } }

    /// From here on the program is not started on the way out: it would run on half of what it needs.
    func beginChanging(_ part: Part) { state.withLock { _ = $0.changing.insert(part) } }

    /// The part is whole.
    func endChanging(_ part: Part) { state.withLock { _ = $0.changing.remove(part) } }
}

/// A Monocle at its raw prompt, and the questions every run asks it.
struct UnitSession: Sendable {
    static let answerPatience = Duration.seconds(3)
    /// `device.reset()` prints for 3 s; the host then notices the lost link after the supervision timeout.
    private static let resetPatience = Duration.seconds(12)

    private static let versionCode = "import device;print(device.VERSION)"
    private static let batteryCode = "import device;print(device.battery_level())"
    private static let bootloaderCode = RemoteHelper.update("micropython") + "()"
    private static let resetCode = "import device;device.reset()"

    /// All code that is sent to a Monocle, but for calls of the helpers' methods and the chat's question.
    package static var sentCode: [String] {
        PythonREPL.sentCode + FPGAUpdater.sentCode + ScriptInstaller.sentCode
            + [versionCode, batteryCode, bootloaderCode, resetCode, restartCode]
    }

    let repl: PythonREPL
    let connection: any Connection
    let conduct: Conduct

    init(repl: PythonREPL, connection: any Connection, conduct: Conduct) {
        self.repl = repl
        self.connection = connection
        self.conduct = conduct
        conduct.interrupted()
    }

    /// On the way out of a run that ends early: a unit that was only looked at goes on with its program.
    func leaveAsFound() async {
        guard conduct.owesStart else { return }
        await repl.clock.shielded(for: Self.farewell) { [self] in
            try await repl.recover(within: Self.farewell)
            try await startProgram()
        }
    }

    /// Ctrl-C waits for it.
    static let farewell = Duration.seconds(2)

    /// Characters of a version that are kept; more are no version.
    private static let versionLimit = 80

    func firmwareVersion() async throws -> String {
        let text = try await repl.runText(Self.versionCode, using: "device.VERSION", within: Self.answerPatience)
        return String(text.prefix(Self.versionLimit))
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
        try await repl.insisting(within: MonocleRadio.promptPatience, ask)
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
        try await repl.send(try PythonCode(code), within: Self.answerPatience)
        do {
            try await connection.waitUntilGone(deadline: repl.clock.deadline(in: Self.resetPatience))
            // It starts by itself.
            conduct.started()
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
        conduct.started()
    }
}
