import Foundation
import TestSupport
import Testing

@testable import noafw

/// The shell steps of docs/ci.md, run as GitHub and GitLab run them. Those that fetch noafw and publish the result are left out.
@Suite(.enabled(if: TestTools.mayRunLua, "luac is missing: run Tools/setup tests"), .serialized)
struct CIPageTests {
    private struct Step: Sendable {
        var name: String
        var script: String
        /// Variables that the step names as secrets.
        var secrets: [String] = []
    }

    private let bench: ReleaseBench

    init() throws {
        bench = try ReleaseBench()
        try bench.folder.write(String(decoding: try bench.folder.read("key.pub.pem"), as: UTF8.self), to: "release-key.pub.pem")
        try FileManager.default.createDirectory(atPath: bench.folder.path("bin"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: bench.folder.path("bin/noafw"), withDestinationPath: ToolBench.tool.path)
    }

    /// The block of code behind a mark.
    private static func block(_ mark: String) throws -> [String] {
        let page = try String(contentsOf: TestTools.root.appendingPathComponent("docs/ci.md"), encoding: .utf8)
        let rest = try #require(page.components(separatedBy: "<!-- \(mark) -->\n").dropFirst().first)
        let lines = rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        try #require(lines[0].hasPrefix("```"))
        return Array(lines.dropFirst().prefix { $0 != "```" })
    }

    /// `run:` of each step, in one line or as a block, and the secrets of its `env:`.
    private static func githubSteps() throws -> [Step] {
        var steps: [Step] = []
        var isBlock = false
        for line in try block("github") {
            let (indent, text) = (line.prefix { $0 == " " }.count, line.drop { $0 == " " })
            if isBlock, indent >= 10 {
                steps[steps.count - 1].script += text + "\n"
                continue
            }
            isBlock = false
            if text.hasPrefix("- name: ") { steps.append(Step(name: String(text.dropFirst(8)), script: "")) }
            if text == "run: |" { isBlock = true }
            if text.hasPrefix("run: "), !isBlock { steps[steps.count - 1].script = text.dropFirst(5) + "\n" }
            if let secret = text.firstMatch(of: /^([A-Z_]+): \$\{\{ secrets\./) { steps[steps.count - 1].secrets.append(String(secret.1)) }
        }
        return steps
    }

    private static func gitlabScript() throws -> String {
        let lines = try block("gitlab").drop { $0 != "  script:" }.dropFirst().prefix { $0.hasPrefix("    - ") }
        return lines.map { $0.dropFirst(6) + "\n" }.joined()
    }

    /// - Parameter shell: as the service calls it.
    private func run(_ script: String, _ shell: [String], _ environment: [String: String]) throws {
        let more = ["PATH": "\(bench.folder.path("bin")):/usr/bin:/bin", "CI": "true"].merging(environment) { $1 }
        let (status, output) = try runProgram(
            "/bin/bash", shell + ["-c", script], environment: bench.environment(more), folder: bench.folder.path)
        #expect(status == 0, "\(script): \(output)")
    }

    private func expectResults(_ names: [String]) throws {
        for name in names { #expect(!(try bench.folder.read(name)).isEmpty, "\(name)") }
        let bill = try ToolBench.json(String(decoding: try bench.folder.read("release.cdx.json"), as: UTF8.self))
        #expect(bill["bomFormat"] as? String == "CycloneDX")
    }

    @Test func githubsStepsRun() throws {
        let steps = try Self.githubSteps()
        let leftOut = ["Install noafw", "Publish"]
        #expect(steps.map(\.name) == ["Install noafw", "Lint", "Bundle", "Describe", "Verify", "Make it again", "Publish"])
        let job = [
            "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "ada/app", "GITHUB_SHA": String(repeating: "a1", count: 20),
            "GITHUB_REF": "refs/tags/v1", "GITHUB_RUN_ID": "7", "RUNNER_ENVIRONMENT": "github-hosted",
        ]
        for step in steps where !leftOut.contains(step.name) {
            #expect(step.secrets.isEmpty == !step.script.contains("env:"), "\(step)")
            let secrets = Dictionary(uniqueKeysWithValues: try step.secrets.map { ($0, try bench.key) })
            try run(step.script, ["--noprofile", "--norc", "-e", "-o", "pipefail"], job.merging(secrets) { $1 })
        }
        try expectResults(["release.zip", "release.cdx.json", "release.intoto.json", "SHA256SUMS"])
    }

    @Test func gitlabsScriptRuns() throws {
        let script = try Self.gitlabScript()
        #expect(script.split(separator: "\n").count == 7)
        let key = Data(try bench.key.utf8).base64EncodedString()
        let job = [
            "CI_PROJECT_URL": "https://gitlab.com/ada/app", "CI_COMMIT_SHA": String(repeating: "b2", count: 20), "CI_COMMIT_REF_NAME": "v1",
            "CI_RUNNER_ID": "3", "CI_JOB_URL": "https://gitlab.com/ada/app/-/jobs/9", "NOAFW_SIGNING_KEY": key,
        ]
        try run(script, ["-e", "-o", "pipefail"], job)
        try expectResults(["release.zip", "release.cdx.json", "release.intoto.json", "release.json"])
    }

    /// A job whose scripts have a mistake ends where it is.
    @Test func aMistakeEndsTheJob() throws {
        try bench.folder.write("x = = 1\n", to: "scripts/main.lua")
        let lint = try #require(try Self.githubSteps().first { $0.name == "Lint" }?.script)
        let more = ["PATH": "\(bench.folder.path("bin")):/usr/bin:/bin"]
        let (status, output) = try runProgram(
            "/bin/bash", ["-e", "-c", lint], environment: bench.environment(more), folder: bench.folder.path)
        #expect(status == 65 && output.contains("scripts/main.lua:1: error: "), "\(output)")
    }

    @Test(.enabled(if: TestTools.mayRunFrameLua, "the Frame's interpreter is missing: run Tools/setup tests"))
    func theProofRuns() throws {
        try FileManager.default.removeItem(atPath: bench.folder.path("scripts"))
        try FileManager.default.copyItem(atPath: ToolBench.root.path + "/Scripts/frame", toPath: bench.folder.path("scripts"))
        try run("noafw bundle scripts -o release.zip --sign key.pem --quiet", ["-e"], [:])
        try run(try Self.block("proof").joined(separator: "\n"), ["-e", "-o", "pipefail"], [:])
        #expect(String(decoding: try bench.folder.read("report.xml"), as: UTF8.self).contains("<testsuite"))
    }
}
