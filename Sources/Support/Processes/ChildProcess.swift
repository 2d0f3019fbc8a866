import Glibc

/// Starts a program with three streams and its settings, and nothing else of this process: no shell, no environment (which may
/// contain a key), no files. It stays in the process group, so that a terminal's Ctrl-C also ends it.
public enum ChildProcess {
    /// - Parameters:
    ///   - path: the program; not searched for.
    ///   - environment: the whole environment, as `NAME=value`.
    /// - Returns: `nil` when it cannot be started.
    public static func spawn(
        _ path: String, _ arguments: [String], environment: [String], input: Int32, output: Int32, errors: Int32
    ) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        for descriptor in openDescriptors() where descriptor > 2 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of Swift's pool block signals, and a child would inherit that.
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words = Self.cStrings([path] + arguments)
        let settings = Self.cStrings(environment)
        defer { (words + settings).forEach { free($0) } }
        var process: pid_t = 0
        return posix_spawn(&process, path, &actions, &attributes, words, settings) == 0 ? process : nil
    }

    /// The caller frees them. Ends with the null pointer that `exec` needs.
    private static func cStrings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }

    /// Our own, and inherited ones such as a build's pipe.
    private static func openDescriptors() -> [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var found: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if let descriptor = Int32(name) { found.append(descriptor) }
        }
        return found
    }
}

/// A program with an input, a limited output, and a deadline.
public struct BoundedProcess {
    /// How the program ended.
    public enum Ending: Sendable, Hashable {
        /// By itself.
        case exited(status: Int32, output: [UInt8])
        /// By a signal of another sender.
        case killed(signal: Int32)
        /// By the deadline, after which it was killed.
        case timedOut
    }

    private let process: pid_t
    private let output: Int32
    private let outputLimit: Int

    /// - Returns: `nil` when it cannot be started.
    public init?(_ path: String, _ arguments: [String], input: [UInt8], outputLimit: Int) {
        guard let inputFile = Self.file(holding: input) else { return nil }
        defer { fclose(inputFile) }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        defer { close(ends[1]) }
        let environment = ["PATH=/usr/bin:/bin", "LC_ALL=C"]
        guard let process = ChildProcess.spawn(
            path, arguments, environment: environment, input: fileno(inputFile), output: ends[1], errors: ends[1])
        else {
            close(ends[0])
            return nil
        }
        self.process = process
        output = ends[0]
        self.outputLimit = outputLimit
    }

    /// A file without a name, which the program reads at its own pace.
    private static func file(holding bytes: [UInt8]) -> UnsafeMutablePointer<FILE>? {
        guard let file = tmpfile() else { return nil }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fflush(file) == 0, lseek(fileno(file), 0, SEEK_SET) == 0 else {
            fclose(file)
            return nil
        }
        return file
    }

    /// Waits for the end, or kills it. Call once.
    public func wait(milliseconds: Int) -> Ending {
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        guard let said = outputs(until: deadline) else {
            kill()
            return .timedOut
        }
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 {
            guard ContinuousClock.now < deadline else {
                kill()
                return .timedOut
            }
            poll(nil, 0, 1)
        }
        close(output)
        let signal = status & 0x7F
        return signal == 0 ? .exited(status: status >> 8 & 0xFF, output: said) : .killed(signal: signal)
    }

    /// Its output until it closes it, cut at the limit; `nil` if it does not close it in time.
    private func outputs(until deadline: ContinuousClock.Instant) -> [UInt8]? {
        var said: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = Int32(clamping: Int((deadline - .now) / .milliseconds(1)))
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let ready = left > 0 ? poll(&entry, 1, left) : 0
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return said }
            said += buffer.prefix(count).prefix(outputLimit - said.count)
        }
    }

    /// Call instead of ``wait(milliseconds:)``.
    public func kill() {
        Glibc.kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        close(output)
    }
}
