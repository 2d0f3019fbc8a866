import Foundation
import Glibc
import Support
import Synchronization

/// A program that a test runs, with the names of Foundation's `Process`, which ended our own process about once in fifty runs on a
/// busy machine: a copy within its `run()` went over the end of a page.
package final class TestProcess: Sendable {
    package enum Stream {
        /// The test's own.
        case inherited
        case nothing
        case pipe(Pipe)
        case file(FileHandle)
    }

    package enum Ending: Sendable, Hashable {
        case exit(Int32)
        case signal(Int32)

        /// Of a process that ended by itself; otherwise the negative number of the signal.
        package var status: Int32 {
            switch self {
            case .exit(let status): status
            case .signal(let number): -number
            }
        }
    }

    package struct CannotStart: Error, CustomStringConvertible {
        package let description: String
    }

    package let processIdentifier: pid_t
    private let last = Mutex<Ending?>(nil)

    /// Starts it.
    /// - Parameters:
    ///   - environment: the whole one; `nil` is the test's own.
    ///   - folder: where it runs; `nil` is the test's own.
    package init(
        _ program: URL, _ arguments: [String] = [], environment: [String: String]? = nil, folder: URL? = nil, input: Stream = .nothing,
        output: Stream = .inherited, errors: Stream = .inherited
    ) throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        func descriptor(_ stream: Stream, _ own: Int32) -> Int32 {
            switch stream {
            case .inherited: own
            case .nothing: null
            case .pipe(let pipe): (own == 0 ? pipe.fileHandleForReading : pipe.fileHandleForWriting).fileDescriptor
            case .file(let file): file.fileDescriptor
            }
        }
        let moved = folder.map { ["--chdir=" + $0.path, program.path] } ?? []
        let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0.key)=\($0.value)" }
        guard let process = ChildProcess.spawn(
            folder == nil ? program.path : "/usr/bin/env", moved + arguments, environment: variables,
            input: descriptor(input, 0), output: descriptor(output, 1), errors: descriptor(errors, 2))
        else { throw CannotStart(description: "\(program.path) cannot be started") }
        processIdentifier = process
        for (own, stream) in [(0, input), (1, output), (2, errors)] {
            if case .pipe(let pipe) = stream { try? (own == 0 ? pipe.fileHandleForReading : pipe.fileHandleForWriting).close() }
        }
    }

    deinit { _ = isRunning }

    package var isRunning: Bool { ending(waiting: false) == nil }

    /// Waits until it has ended.
    @discardableResult
    package func waitUntilExit() -> Ending { ending(waiting: true)! }

    package var terminationStatus: Int32 { waitUntilExit().status }

    /// Waits until it has ended, on a thread of its own.
    package func exitStatus() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.terminationStatus) }
        }
    }

    package func signal(_ number: Int32) {
        last.withLock { if $0 == nil { _ = Glibc.kill(processIdentifier, number) } }
    }

    private func ending(waiting: Bool) -> Ending? {
        if waiting, last.withLock({ $0 == nil }) {
            var info = siginfo_t()
            // Leaves the process to be reaped below, whoever comes first.
            while waitid(P_PID, id_t(processIdentifier), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        }
        return last.withLock { last in
            if last != nil { return last }
            var status: Int32 = 0
            guard waitpid(processIdentifier, &status, WNOHANG) == processIdentifier else { return nil }
            last = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
            return last
        }
    }
}
