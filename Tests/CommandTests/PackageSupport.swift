import Foundation
import TestSupport
import Testing

@testable import noafw

/// Runs `noafw package` in-process on files of its own.
struct PackageBench: Sendable {
    struct Run {
        var status: Int32
        var output: String
        var diagnostics: String
    }

    let files: ToolFolder

    init() throws { self.init(files: try ToolFolder()) }

    init(files: ToolFolder) { self.files = files }

    func remove() { files.remove() }

    /// Arguments after `noafw package`.
    func run(_ arguments: [String]) async -> Run {
        let harness = Harness()
        let status = await Noafw.execute(in: harness.context(["package"] + arguments))
        return Run(status: status, output: harness.output, diagnostics: harness.diagnostics)
    }

    /// The same image in every run, with a version text in it.
    static func image(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var bytes = SeededNumbers.bytes(count, seed: seed)
        let text = Array("\0v26.123.0415\0".utf8)
        if count >= 100 + text.count { bytes.replaceSubrange(100..<(100 + text.count), with: text) }
        return bytes
    }

    func key(_ name: String = "key.pem") async throws -> String {
        let made = await run(["key", "new", "-o", files.path(name)])
        try #require(made.status == 0, "\(made.diagnostics)")
        return files.path(name)
    }

    func application() throws -> String {
        let text = IntelHexText.of([(0x26000, Self.image(9000)), (0x1000_1014, [1, 2, 3, 4])])
        return try files.write(text.utf8, to: "app.hex")
    }

    /// A made package, with what it was made with.
    func package(_ options: [String], named name: String = "made.zip") async throws -> (path: String, run: Run) {
        let arguments = ["create", "--family", "monocle", "--application", try application(), "--application-version", "12"]
        let run = await run(arguments + options + ["-o", files.path(name)])
        try #require(run.status == 0, "\(run.diagnostics)")
        return (files.path(name), run)
    }
}
