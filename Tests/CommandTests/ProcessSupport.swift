import Foundation
import TestSupport
import Testing

/// The built `noafw` in a process of its own, on a state folder of its own.
struct ToolBench: Sendable {
    let state: URL

    static let root = TestTools.root
    /// The test bundle and the tool are built side by side.
    static let tool = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("noafw")

    /// `nohup` and some runners have their children ignore SIGHUP; what a test starts begins as from a shell.
    /// - Parameter hangUp: what becomes of SIGHUP: `default` or `ignore`.
    static func process(
        _ arguments: [String], environment: [String: String], hangUp: String = "default", folder: URL? = nil,
        input: TestProcess.Stream, output: FileHandle, errors: TestProcess.Stream
    ) throws -> TestProcess {
        try TestProcess(
            URL(fileURLWithPath: "/usr/bin/env"), ["--\(hangUp)-signal=HUP", tool.path] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, folder: folder, input: input,
            output: .file(output), errors: errors)
    }

    init() throws {
        state = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: state) }

    var unit: URL { state.appendingPathComponent("virtual/monocle/default") }

    func environment(_ more: [String: String] = [:]) -> [String: String] {
        // The developer's own assistant is none of the tests' business.
        ["NOAFW_STATE_DIR": state.path, "NOAFW_ASSETS": Self.root.path, "NO_COLOR": "1", "XDG_CONFIG_HOME": state.path]
            .merging(Self.backtrace) { $1 }
            .merging(["NOAFW_API_KEY", "OPENAI_API_KEY", "NOAFW_BASE_URL", "OPENAI_BASE_URL"].map { ($0, "") }) { $1 }
            .merging(more) { $1 }
    }

    /// Swift's backtracer needs half a minute for one crash of this debug build. Its output is looked at in the whole range only.
    private static let backtrace = TestRange.isFull ? [:] : ["SWIFT_BACKTRACE": "enable=no"]

    func start(_ arguments: [String], environment more: [String: String] = [:], input: String? = nil) throws -> RunningTool {
        try RunningTool(arguments, environment: environment(more), input: input)
    }

    /// Runs to the end.
    func run(
        _ arguments: [String], environment more: [String: String] = [:], input: String? = nil
    ) throws -> (status: Int32, output: String, errors: String) {
        let tool = try start(arguments, environment: more, input: input)
        let errors = tool.remainingErrors()
        return (tool.wait(), try tool.output(), errors)
    }

    /// What an administrator feeds to `psql`.
    static func schema() throws -> String {
        let bench = try ToolBench()
        defer { bench.remove() }
        return try bench.run(["ledger", "schema", "--sql"]).output
    }

    static func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
}

final class RunningTool: @unchecked Sendable {
    private let process: TestProcess
    /// A file without a name: a pipe would stop a tool that prints more than it holds before anyone reads it.
    private let standardOutput: FileHandle
    private let standardError = Pipe()
    private var pending = Data()
    private(set) var lines: [String] = []

    /// - Parameter input: short; the standard input then ends.
    init(_ arguments: [String], environment: [String: String], input: String? = nil, hangUp: String = "default") throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-output-\(UUID().uuidString)")
        try Data().write(to: place)
        standardOutput = try FileHandle(forUpdating: place)
        try FileManager.default.removeItem(at: place)
        let typed = Pipe()
        try typed.fileHandleForWriting.write(contentsOf: Data((input ?? "").utf8))
        try typed.fileHandleForWriting.close()
        process = try ToolBench.process(
            arguments, environment: environment, hangUp: hangUp, folder: ToolBench.root,
            input: input == nil ? .nothing : .pipe(typed), output: standardOutput, errors: .pipe(standardError))
    }

    /// The next line of standard error; `nil` at its end.
    func nextLine() -> String? {
        while true {
            if let end = pending.firstIndex(of: 0x0A) {
                let line = String(decoding: pending[pending.startIndex..<end], as: UTF8.self)
                pending = Data(pending[pending.index(after: end)...])
                lines.append(line)
                return line
            }
            let more = standardError.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            pending += more
        }
    }

    /// Reads until a line satisfies the condition; `false` when the output ended before.
    func waitForLine(_ condition: (String) -> Bool) -> Bool {
        while let line = nextLine() { if condition(line) { return true } }
        return false
    }

    func remainingErrors() -> String {
        while nextLine() != nil {}
        return lines.joined(separator: "\n")
    }

    var processID: Int32 { process.processIdentifier }

    func signal(_ number: Int32) { process.signal(number) }

    func wait() -> Int32 {
        while nextLine() != nil {}
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// All of it: waits for the tool's end.
    func output() throws -> String {
        process.waitUntilExit()
        try standardOutput.seek(toOffset: 0)
        return String(decoding: try standardOutput.readToEnd() ?? Data(), as: UTF8.self)
    }
}
