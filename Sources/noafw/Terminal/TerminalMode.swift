import Glibc

/// The terminal's mode while noafw has changed it, restored on every way out: normal exit, signals, and a crash.
enum TerminalMode {
    /// SA_RESETHAND, which exceeds a positive Int32.
    private static let resetsHandler = Int32(bitPattern: 0x8000_0000)
    private static let fatalSignals = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    static func enter(_ mode: InputMode, _ descriptor: Int32) {
        guard mode != .lines, changedDescriptor < 0, tcgetattr(descriptor, &modeBefore) == 0 else { return }
        var wanted = modeBefore
        takeKeys(&wanted)
        changedDescriptor = descriptor
        for signal in fatalSignals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = restoreAndDie
            action.sa_flags = resetsHandler | Int32(SA_NODEFER)
            var before = sigaction()
            sigaction(signal, &action, &before)
            actionsBefore.append(before)
        }
        tcsetattr(descriptor, TCSANOW, &wanted)
    }

    /// Every key immediately and without echo, including Ctrl-C and Ctrl-Z; output is processed as before.
    private static func takeKeys(_ mode: inout termios) {
        mode.c_lflag &= ~UInt32(ICANON | ECHO | ISIG | IEXTEN)
        // Enter (CR) and Ctrl-J (LF) are different keys; Ctrl-S does not pause.
        mode.c_iflag &= ~UInt32(ICRNL | INLCR | IGNCR | IXON | ISTRIP | BRKINT)
    }

    static func restore() {
        guard changedDescriptor >= 0 else { return }
        restoreMode()
        changedDescriptor = -1
        for (signal, action) in zip(fatalSignals, actionsBefore) {
            var action = action
            sigaction(signal, &action, nil)
        }
        actionsBefore = []
    }

    /// For a thread that ends the process whatever other threads do.
    static func restoreForExit() { restoreMode() }
}

/// Safe to share with a signal handler: only written before the handlers are installed.
nonisolated(unsafe) private var modeBefore = termios()
/// Others that want to know about a crash, such as Swift's backtraces; no handler reads it.
nonisolated(unsafe) private var actionsBefore: [sigaction] = []
/// -1 while the mode is the terminal's own. Two threads restoring at once do the same twice.
nonisolated(unsafe) private var changedDescriptor: Int32 = -1

/// Only async-signal-safe calls.
private func restoreMode() {
    let descriptor = changedDescriptor
    guard descriptor >= 0 else { return }
    tcsetattr(descriptor, TCSANOW, &modeBefore)
    // Ends bracketed paste.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 8) { bytes in
        _ = bytes.update(fromContentsOf: [0x1B, 0x5B, 0x3F, 0x32, 0x30, 0x30, 0x34, 0x6C])
        _ = write(descriptor, bytes.baseAddress, bytes.count)
    }
}

private func restoreAndDie(_ signal: Int32) {
    restoreMode()
    raise(signal)
}
