import Foundation
import Synchronization

/// A child process on a pseudo terminal of its own, as a UART would show it: no echo, no line editing, no translation.
final class TerminalProcess: Sendable {
    struct Failure: Error { let operation: String, code: Int32 }

    /// Linux's TIOCSPTLCK and TIOCGPTN, which Swift's view of glibc leaves out.
    private static let unlockTerminal: UInt = 0x4004_5431
    private static let terminalNumber: UInt = 0x8004_5430

    let identifier: pid_t
    let master: Int32
    private let slave: Int32
    private let systemCall: Int32
    private let status: Int32
    private let schedule: Int32
    private let open = Mutex(true)

    init(arguments: [String], environment: [String]) throws {
        master = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var unlocked: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, ioctl(master, Self.unlockTerminal, &unlocked) == 0,
            ioctl(master, Self.terminalNumber, &number) == 0
        else { throw Failure(operation: "open a pseudo terminal", code: errno) }
        slave = Foundation.open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw Failure(operation: "open a pseudo terminal", code: errno) }
        Self.makeTransparent(slave)
        identifier = try Self.spawn(arguments, environment, terminal: slave)
        systemCall = Foundation.open("/proc/\(identifier)/syscall", O_RDONLY | O_CLOEXEC)
        schedule = Foundation.open("/proc/\(identifier)/schedstat", O_RDONLY | O_CLOEXEC)
        status = Foundation.open("/proc/\(identifier)/status", O_RDONLY | O_CLOEXEC)
    }

    var isOpen: Bool { open.withLock { $0 } }

    /// Whether the terminal turns 0x03 into SIGINT: MicroPython sets that while it executes.
    var terminalRaisesSignals: Bool {
        var settings = termios()
        return isOpen && tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ISIG) != 0
    }

    /// How often the process has gone to sleep: tells a sleep from before an input from one after it, as a terminal
    /// hands input over from a kernel thread, a moment after `write` has returned.
    var sleepCount: Int {
        let text = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, pread(status, buffer.baseAddress, buffer.count, 0))
        }
        let label = Array("\nvoluntary_ctxt_switches:\t".utf8)
        guard let start = text.firstRange(of: label)?.upperBound else { return 0 }
        return text[start...].prefix { $0 != 0x0A }.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
    }

    /// Processor time that the process's main thread has used.
    var processorTime: Duration {
        let text = [UInt8](unsafeUninitializedCapacity: 128) { buffer, count in
            count = max(0, pread(schedule, buffer.baseAddress, buffer.count, 0))
        }
        return .nanoseconds(text.prefix { $0 != 0x20 }.reduce(0) { $0 * 10 + Int64($1 &- 0x30) })
    }

    /// What the process's main thread waits for.
    enum Wait { case input, answer, room }

    /// The system call in which the process sleeps, as the kernel tells; `nil` while it computes or sleeps elsewhere.
    var wait: Wait? {
        var call = [UInt8](repeating: 0, count: 6)
        guard pread(systemCall, &call, call.count, 0) == call.count else { return nil }
        // Numbers of x86-64: read(0, …), recvfrom(…), write(1, …).
        if call == Array("0 0x0 ".utf8) { return hasReadEverything ? .input : nil }
        if call.starts(with: Array("45 ".utf8)) { return .answer }
        return call == Array("1 0x1 ".utf8) ? .room : nil
    }

    private var hasReadEverything: Bool {
        var unread: Int32 = 0
        return ioctl(slave, UInt(FIONREAD), &unread) == 0 && unread == 0
    }

    /// Whether the process has ended; it stays a zombie until ``close()``.
    var hasExited: Bool {
        var info = siginfo_t()
        let code = waitid(P_PID, id_t(identifier), &info, Int32(WEXITED | WNOHANG | WNOWAIT))
        return code != 0 || info.si_signo != 0
    }

    func write(_ bytes: [UInt8]) {
        var offset = 0
        while offset < bytes.count, isOpen {
            let written = bytes[offset...].withUnsafeBytes { Foundation.write(master, $0.baseAddress, $0.count) }
            if written > 0 { offset += written } else if errno != EINTR && errno != EAGAIN { return }
        }
    }

    /// What is there to read; `nil` when the process is gone.
    func read() -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, Foundation.read(master, buffer.baseAddress, buffer.count))
        }
        return bytes.isEmpty ? nil : bytes
    }

    func signal(_ number: Int32) {
        open.withLock { isOpen in
            if isOpen { _ = kill(identifier, number) }
        }
    }

    /// Ends the process and waits for it.
    func close() {
        let wasOpen = open.withLock { isOpen -> Bool in
            defer { isOpen = false }
            if isOpen {
                _ = kill(identifier, SIGKILL)
                var status: Int32 = 0
                while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
            }
            return isOpen
        }
        guard wasOpen else { return }
        for descriptor in [master, slave, systemCall, status, schedule] where descriptor >= 0 { Foundation.close(descriptor) }
    }

    private static func makeTransparent(_ terminal: Int32) {
        var settings = termios()
        tcgetattr(terminal, &settings)
        settings.c_iflag = 0
        settings.c_oflag = 0
        settings.c_lflag = tcflag_t(ISIG) | tcflag_t(NOFLSH)
        withUnsafeMutableBytes(of: &settings.c_cc) { controls in
            controls[Int(VINTR)] = 0x03
            for index in [VQUIT, VSUSP, VSTART, VSTOP] { controls[Int(index)] = 0 }
            controls[Int(VMIN)] = 1
            controls[Int(VTIME)] = 0
        }
        tcsetattr(terminal, TCSANOW, &settings)
    }

    private static func spawn(_ arguments: [String], _ environment: [String], terminal: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 { posix_spawn_file_actions_adddup2(&actions, terminal, descriptor) }
        let argv = arguments.map { strdup($0) } + [nil]
        let envp = environment.map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        guard let program = arguments.first else { throw Failure(operation: "spawn", code: EINVAL) }
        var child: pid_t = 0
        let code = posix_spawn(&child, program, &actions, nil, argv, envp)
        guard code == 0 else { throw Failure(operation: "start \(program)", code: code) }
        return child
    }
}
