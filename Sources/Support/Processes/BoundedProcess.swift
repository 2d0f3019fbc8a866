import Glibc

/// A program that gets some bytes, may say a little, and has to end in time.
public struct BoundedProcess {
    public enum Ending: Sendable, Hashable {
        case exited(status: Int32, output: [UInt8])
        case killed(signal: Int32)
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

    /// A file without a name: the program can read it at its own pace, and nobody waits for the other.
    private static func file(holding bytes: [UInt8]) -> UnsafeMutablePointer<FILE>? {
        guard let file = tmpfile() else { return nil }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fflush(file) == 0, lseek(fileno(file), 0, SEEK_SET) == 0 else {
            fclose(file)
            return nil
        }
        return file
    }

    /// Waits for the end, and brings it about when it takes longer. Once.
    public func wait(milliseconds: Int) -> Ending {
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        guard let said = outputs(until: deadline) else {
            kill()
            return .timedOut
        }
        var status: Int32 = 0
        // It may close its output and go on.
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

    /// What it says until it closes its output; `nil` when it does not in time. What is too much is thrown away.
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

    /// Ends it instead of waiting for it.
    public func kill() {
        Glibc.kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        close(output)
    }
}
