import Bluetooth
import FoundationEssentials
import Glibc
import ScriptBundle
import Support

/// A program of the machine that answers at once. It gets nothing of this process's environment but the search path, since
/// a key may be among the rest, and none of its files.
///
/// Foundation's `Process` is not used: where its socket pair cannot be made it never tells of the end.
enum ShortCommand {
    struct Failed: Error {}

    /// - Parameters:
    ///   - path: where programs are looked for, as `PATH` has it; `nil` is the system's own folders.
    ///   - limit: bytes of its output that are read.
    /// - Returns: what it printed; its standard error goes nowhere.
    /// - Throws: ``Failed`` when it is not there, fails or takes longer than `timeout`; `CancellationError`.
    static func run(
        _ words: [String], path: String?, clock: SessionClock, within timeout: Duration = .seconds(3), limit: Int = 4096
    ) async throws -> String {
        let output = try nameless()
        defer { close(output) }
        let path = path ?? "/usr/bin:/bin"
        let child = try spawn(words, path: path, output: output)
        let ended = watch(child)
        do {
            let isOver: Void? = try await ended.next(before: clock.deadline(in: timeout), on: clock)
            guard isOver != nil else { throw Failed() }
        } catch {
            kill(child, SIGKILL)
            _ = reap(child)
            throw error
        }
        guard reap(child) == 0 else { throw Failed() }
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = max(0, pread(output, buffer.baseAddress, limit, 0))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A file, not a pipe: it never fills up.
    private static func nameless() throws -> Int32 {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-output-\(UUID().uuidString)")
        let descriptor = open(file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failed() }
        unlink(file.path)
        return descriptor
    }

    private static func spawn(_ words: [String], path: String, output: Int32) throws -> pid_t {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { throw Failed() }
        defer { close(nothing) }
        guard let child = ChildProcess.spawn(
            "/usr/bin/env", words, environment: ["PATH=\(path)"], input: nothing, output: output, errors: nothing)
        else { throw Failed() }
        return child
    }

    /// A thread of its own waits for the end. It leaves the process to be reaped, so that its number stays its own until then.
    private static func watch(_ child: pid_t) -> Inbox<Void> {
        let ended = Inbox<Void>()
        OwnThread.start {
            var information = siginfo_t()
            while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            ended.deliver(())
        }
        return ended
    }

    /// - Returns: its status; -1 when a signal ended it.
    private static func reap(_ child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
    }
}
