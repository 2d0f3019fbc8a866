import Foundation
import TestSupport
import Testing

@testable import noafw

/// A folder with scripts, keys and what a release needs, and `noafw` in it as a build's job runs it.
struct ReleaseBench {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("local link = require('link')\nlink.run()\n", to: "scripts/main.lua")
        try folder.write("return { run = function() end }\n", to: "scripts/link.lua")
        let (status, output) = try run(["bundle", "key", "new", "-o", "key.pem"])
        try #require(status == 0, "\(output)")
        try folder.write(try run(["bundle", "key", "show", "key.pem"]).output.replacing(/(?m)^note:.*\n/, with: ""), to: "key.pub.pem")
    }

    var key: String { get throws { String(decoding: try folder.read("key.pem"), as: UTF8.self) } }

    func environment(_ more: [String: String] = [:]) -> [String: String] {
        ["PATH": "/usr/bin:/bin", "HOME": folder.path, "NOAFW_ASSETS": ToolBench.root.path, "NOAFW_STATE_DIR": folder.path("state")]
            .merging(more) { $1 }
    }

    /// - Parameter input: a shell's redirection, such as `<key.pem`.
    func run(
        _ arguments: [String], _ redirection: String = "</dev/null", environment more: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        let words = ([ToolBench.tool.path] + arguments).map(CommandLineText.quote).joined(separator: " ")
        return try runProgram(
            "/bin/bash", ["-c", "\(words) \(redirection)"], environment: environment(more), folder: folder.path)
    }
}
