import Bluetooth
import Foundation
import Glibc
import Support
import Synchronization

/// A unit whose Python is real MicroPython on a pseudo terminal, behind the Monocle's receive ring.
///
/// The ring holds 1023 bytes and drops what does not fit; MicroPython gets one piece of code at a time, since its unix port
/// forgets terminal input while code runs. 0x03 interrupts running code at once.
package final class MicroPythonHost: Connection, WriteChannel, Sendable {
    struct State {
        var ring: [UInt8] = []
        /// Until the first prompt an interrupt would end the process instead of a program.
        var isBooting = true
        var greeting: [UInt8] = []
        var isBusy = false
        var endMarks = 0
        var droppedByteCount = 0
        var highestRing = 0
        var process: pid_t = 0
        var isClosed = false
        var packetCount = 0
        var byteCount = 0
        var commandCount = 0
        var longestAnswer = 0
        var answerLength = 0
        var notificationCount = 0
        var isInterrupted = false
    }

    /// What becomes of one packet or notification, by its number from 0.
    package typealias Fault = @Sendable (Int, [UInt8]) -> [UInt8]?

    package let address = DeviceAddress(octets: [0xC0, 0, 0, 0, 0, 1])!
    package let payloadSize: Int
    package func offers(_ characteristic: AttributeID) -> Bool { false }
    package let folder: URL
    private let master: Int32
    private let slave: Int32
    // Linux, asm-generic/ioctls.h; glibc, spawn.h
    private static let unlockTerminal: UInt = 0x4004_5431
    private static let terminalNumber: UInt = 0x8004_5430
    private static let newSessionAndSignalMask: Int16 = 0x80 | 0x08
    private let notifications = Inbox<[UInt8]>(capacity: 100_000)
    private let state = Mutex(State())
    private let packetFault: Fault
    private let notificationFault: Fault

    /// - Parameters:
    ///   - folder: the unit's files; modules in `modules` come first.
    ///   - heap: MicroPython's heap, such as `48k`.
    package init(
        folder: URL, heap: String = "96k", payloadSize: Int = 253, packetFault: @escaping Fault = { $1 },
        notificationFault: @escaping Fault = { $1 }
    ) throws {
        self.folder = folder
        self.payloadSize = payloadSize
        self.packetFault = packetFault
        self.notificationFault = notificationFault
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var unlocked: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, ioctl(master, Self.unlockTerminal, &unlocked) == 0, ioctl(master, Self.terminalNumber, &number) == 0
        else { throw LinkError.unavailable("no pseudo terminal") }
        let terminal = "/dev/pts/\(number)"
        slave = try Self.makeRaw(terminal)
        try DeviceMask.install(in: folder)
        let pid = try Self.spawn(
            try TestTools.require(TestTools.micropython, "MicroPython"), heap: heap, terminal: terminal, folder: folder)
        state.withLock { $0.process = pid }
        let reader = Thread { [self] in readOutput() }
        reader.start()
    }

    package var droppedByteCount: Int { state.withLock { $0.droppedByteCount } }
    package var highestRing: Int { state.withLock { $0.highestRing } }
    /// What was sent since the last look: commands (each ends in 0x04), packets and bytes.
    package func takeTraffic() -> (commands: Int, packets: Int, bytes: Int) {
        state.withLock { state in
            defer { (state.commandCount, state.packetCount, state.byteCount) = (0, 0, 0) }
            return (state.commandCount, state.packetCount, state.byteCount)
        }
    }
    /// Bytes of the longest answer, `OK` and end marks included.
    package var longestAnswer: Int { state.withLock { $0.longestAnswer } }

    /// - Returns: the open slave: the last close of it before the child opens it would hang the terminal up.
    private static func makeRaw(_ terminal: String) throws -> Int32 {
        let slave = open(terminal, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw LinkError.unavailable("no terminal") }
        var settings = termios()
        tcgetattr(slave, &settings)
        cfmakeraw(&settings)
        settings.c_lflag = tcflag_t(ISIG | NOFLSH)
        withUnsafeMutableBytes(of: &settings.c_cc) { codes in
            codes[Int(VINTR)] = 3
            codes[Int(VQUIT)] = 0
            codes[Int(VSUSP)] = 0
        }
        tcsetattr(slave, TCSANOW, &settings)
        return slave
    }

    private static func spawn(_ path: String, heap: String, terminal: String, folder: URL) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        // Threads of Swift's pool block signals, and a child would inherit that.
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, newSessionAndSignalMask)
        let shell = "cd \"$0\" && exec \"$@\""
        let words = ["/bin/sh", "-c", shell, folder.path(percentEncoded: false), path, "-X", "heapsize=\(heap)", "-i", DeviceMask.path]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let settings = ["MICROPYPATH=modules:", "PATH=/usr/bin:/bin"]
        let environment: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) } + [nil]
        defer { (arguments + environment).forEach { free($0) } }
        var pid: pid_t = 0
        guard posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments, environment) == 0 else {
            throw LinkError.unavailable("cannot start MicroPython")
        }
        return pid
    }

    private func readOutput() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(master, &buffer, buffer.count)
            guard count > 0 else { break }
            let bytes = Array(buffer[..<count])
            let passed = state.withLock { state -> [UInt8]? in
                note(bytes, in: &state)
                state.notificationCount += 1
                return notificationFault(state.notificationCount - 1, bytes)
            }
            if let passed { for start in stride(from: 0, to: passed.count, by: payloadSize) {
                notifications.deliver(Array(passed[start..<min(start + payloadSize, passed.count)]))
            } }
            state.withLock { pump(&$0) }
        }
        notifications.finish(throwing: LinkError.disconnected("MicroPython ended"))
        state.withLock { $0.isClosed = true }
        Glibc.close(master)
    }

    /// Code is done when two 0x04 and a prompt have come.
    private func note(_ bytes: [UInt8], in state: inout State) {
        if state.isBooting {
            state.greeting += bytes
            state.isBooting = !String(decoding: state.greeting, as: UTF8.self).contains(">>> ")
        }
        for byte in bytes where state.isBusy {
            state.answerLength += 1
            state.longestAnswer = max(state.longestAnswer, state.answerLength)
            if byte == 0x04 { state.endMarks += 1 }
            if byte == UInt8(ascii: ">"), state.endMarks >= 2 {
                state.isBusy = false
                state.isInterrupted = false
                state.endMarks = 0
                state.answerLength = 0
            }
        }
    }

    private func pump(_ state: inout State) {
        while !state.isBooting, !state.isBusy, !state.ring.isEmpty, !state.isClosed {
            let end = state.ring.firstIndex(of: 0x04)
            let piece = Array(end.map { state.ring[...$0] } ?? state.ring[...])
            state.ring.removeFirst(piece.count)
            if end != nil { (state.isBusy, state.endMarks) = (true, 0) }
            _ = piece.withUnsafeBytes { Glibc.write(master, $0.baseAddress, $0.count) }
        }
    }

    package func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws {
        guard packet.count <= payloadSize else {
            throw LinkError.valueTooLong(count: packet.count, limit: payloadSize)
        }
        try state.withLock { state in
            guard !state.isClosed else { throw LinkError.disconnected("MicroPython ended") }
            state.packetCount += 1
            state.byteCount += packet.count
            state.commandCount += packet.count { $0 == 0x04 }
            guard let packet = packetFault(state.packetCount - 1, packet) else { return }
            for byte in packet {
                if byte == 0x03, state.isBusy {
                    interrupt(&state)
                } else if state.ring.count < 1023 {
                    state.ring.append(byte)
                } else {
                    state.droppedByteCount += 1
                }
            }
            state.highestRing = max(state.highestRing, state.isBusy ? state.ring.count : 0)
            pump(&state)
        }
    }

    /// The unix port dies of a second interrupt before it has seen the first; a unit does not. It says OK before it listens, and loses one
    /// that comes in between: that one is passed over, and whoever sent it asks again.
    private func interrupt(_ state: inout State) {
        guard !state.isInterrupted, listensToInterrupts(state.process) else { return }
        state.isInterrupted = true
        var byte: UInt8 = 0x03
        _ = Glibc.write(master, &byte, 1)
    }

    /// MicroPython's own handler is there, and the terminal makes signals of 0x03 (proc(5): `SigCgt`).
    private func listensToInterrupts(_ process: pid_t) -> Bool {
        var settings = termios()
        guard tcgetattr(slave, &settings) == 0, settings.c_lflag & tcflag_t(ISIG) != 0,
            let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigCgt:") }),
            let caught = line.split(separator: "\t").last.flatMap({ UInt64($0, radix: 16) })
        else { return false }
        return caught & 1 << UInt64(SIGINT - 1) != 0
    }

    /// Has MicroPython stand still for so long, as on a machine that is busy with something else.
    package func stall(milliseconds: UInt32) {
        // A fault that asks for it holds the state.
        let staller = Thread { [self] in
            let process = state.withLock(\.process)
            guard process > 0, kill(process, SIGSTOP) == 0 else { return }
            usleep(milliseconds * 1000)
            kill(process, SIGCONT)
        }
        staller.start()
    }

    package func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        try await send(value, deadline: deadline)
    }

    package func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
        self
    }

    package func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        notifications
    }

    package func close() async {}

    package func disconnect() async { end() }

    package func waitUntilGone(deadline: SessionClock.Instant) async throws {}

    /// Ends MicroPython: a power cut. Only the files stay.
    package func end() {
        let process = state.withLock { state -> pid_t in
            defer { (state.isClosed, state.process) = (true, 0) }
            return state.process
        }
        guard process > 0 else { return }
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        Glibc.close(slave)
    }

    /// Ends MicroPython and takes its files away.
    package func endAndRemove() {
        end()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// A folder of its own for one unit.
package func makeUnitFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("modules"), withIntermediateDirectories: true)
    return folder
}
