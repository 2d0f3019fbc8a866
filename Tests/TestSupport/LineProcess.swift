import Foundation
import Support

/// A process of a test that speaks lines, one reader at a time; killed with its owner.
package final class LineProcess: Sendable {
    package struct Failure: Error {
        package let what: String

        package init(what: String) { self.what = what }
    }

    private let process: TestProcess
    private let input: FileHandle
    private let output: FileHandle
    private let lines = Inbox<String>()
    private let isRead = DispatchSemaphore(value: 0)

    package init(_ executable: String, _ arguments: [String]) throws {
        let input = Pipe()
        let output = Pipe()
        process = try TestProcess(URL(fileURLWithPath: executable), arguments, input: .pipe(input), output: .pipe(output))
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        // A thread of its own: it ends with the process's end of the pipe.
        let reader = Thread { [lines, isRead, output = self.output] in
            Self.read(output, into: lines)
            isRead.signal()
        }
        reader.start()
    }

    private static func read(_ output: FileHandle, into lines: Inbox<String>) {
        var rest = Data()
        while true {
            let data = output.availableData
            if data.isEmpty { break }
            rest.append(data)
            while let end = rest.firstIndex(of: 10) {
                lines.deliver(String(decoding: rest[..<end], as: UTF8.self))
                rest = Data(rest[rest.index(after: end)...])
            }
        }
        try? output.close()
        lines.finish(throwing: Failure(what: "the process ended"))
    }

    deinit { end() }

    package var identifier: Int32 { process.processIdentifier }

    package func send(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

    package func nextLine() async throws -> String {
        let clock = SessionClock.continuous
        guard let line = try await lines.next(before: clock.deadline(in: .seconds(60)), on: clock) else {
            throw Failure(what: "no line within 60 s")
        }
        return line
    }

    /// Kills the process and waits until it is gone, and its output closed.
    package func end() {
        process.signal(SIGKILL)
        process.waitUntilExit()
        if isRead.wait(timeout: .now() + 10) == .success { isRead.signal() }
    }
}
