import Bluetooth
import FoundationEssentials
import Glibc
import Support

/// Turns SIGINT, SIGTERM and SIGHUP into a request to end; a second signal, or a run that does not end in time, ends the process. A
/// terminal that is closed asks once: nobody is there to insist.
///
/// Handlers rather than ignored or blocked signals: both of those would be inherited by the virtual units' processes,
/// and MicroPython needs its own Ctrl-C. The thread keeps its promise even when every task is stuck.
final class SignalHandler: Sendable {
    /// A busy machine needs a good part of it to say what became of the run.
    private static let exitReportMilliseconds: Int32 = 1000

    private let interrupts: Interrupts
    private let readEnd: Int32

    /// Starts watching; for the process's whole life.
    static func start(_ interrupts: Interrupts) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        signalPipeWriteEnd = ends[1]
        let watch = SignalHandler(interrupts: interrupts, readEnd: ends[0])
        OwnThread.start { watch.run() }
        install(SIGINT) { reportSignal($0) }
        install(SIGTERM) { reportSignal($0) }
        // A terminal that is closed; `nohup` has it ignored, and so it stays.
        var hangUp = sigaction()
        if sigaction(SIGHUP, nil, &hangUp) == 0, unsafeBitCast(hangUp.__sigaction_handler.sa_handler, to: Int.self) != 1 {
            install(SIGHUP) { reportSignal($0) }
        }
        // A reader that goes away must not kill a run halfway through a flash; the write's error is enough.
        install(SIGPIPE) { _ in }
        // Nor must a limit on the size of files: the write fails instead.
        install(SIGXFSZ) { _ in }
    }

    private init(interrupts: Interrupts, readEnd: Int32) {
        self.interrupts = interrupts
        self.readEnd = readEnd
    }

    private func run() {
        while true {
            guard let signal = waitForSignal(milliseconds: -1) else { return }
            guard interrupts.drain.ask() || (signal == SIGHUP && interrupts.drain.isGoingOn) else { break }
        }
        interrupts.requests.deliver(())
        // Nobody waits any longer than this, nor than until the second signal.
        _ = waitForSignal(milliseconds: interrupts.grace.milliseconds)
        TerminalMode.restoreForExit()
        // On a thread of its own: a terminal that is held with Ctrl-S would keep the process.
        OwnThread.start { [interrupts] in
            interrupts.exitReport.give()
            _exit(interrupts.exitReport.exitCode)
        }
        _ = waitForSignal(milliseconds: Self.exitReportMilliseconds)
        leaveProgressLine()
        _exit(interrupts.exitReport.exitCode)
    }

    /// So that the shell's prompt does not follow a stale bar; not at the price of waiting for the terminal.
    private func leaveProgressLine() {
        var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard isatty(STDERR_FILENO) == 1, poll(&entry, 1, 0) > 0 else { return }
        var lineFeed = UInt8(ascii: "\n")
        _ = write(STDERR_FILENO, &lineFeed, 1)
    }

    /// - Returns: `nil` when no signal came in time.
    private func waitForSignal(milliseconds: Int32) -> Int32? {
        var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        var ready = poll(&entry, 1, milliseconds)
        while ready < 0, errno == EINTR { ready = poll(&entry, 1, milliseconds) }
        var byte: UInt8 = 0
        return ready > 0 && read(readEnd, &byte, 1) == 1 ? Int32(byte) : nil
    }

    private static func install(_ signal: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = Int32(SA_RESTART)
        sigaction(signal, &action, nil)
    }
}

/// Safe to share with a signal handler: written once, before any handler is installed.
nonisolated(unsafe) private var signalPipeWriteEnd: Int32 = -1

/// Only async-signal-safe calls.
private func reportSignal(_ signal: Int32) {
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: signal)
    _ = write(signalPipeWriteEnd, &byte, 1)
    errno = saved
}
