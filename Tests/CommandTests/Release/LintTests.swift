import Foundation
import TestSupport
import Testing

@testable import noafw

/// `noafw lint` and `noafw assets refresh`: every mistake at once, and digests that are not written by hand.
@Suite(.enabled(if: TestTools.mayCheckSyntax, "a compiler is missing: run Tools/setup tests"))
struct LintTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: [String]) async throws -> (code: Int32, output: String, errors: String) {
        let harness = Harness()
        let environment = [
            "HOME": folder.path, "NOAFW_MPY_CROSS": try TestTools.require(TestTools.mpyCross, "mpy-cross"),
            "NOAFW_LUAC": try TestTools.require(TestTools.luac, "luac"),
        ]
        let code = await Noafw.execute(in: harness.context(arguments, environment: environment, folder: folder.path))
        return (code, harness.output, harness.diagnostics)
    }

    @Test func allMistakesAreShownWithTheirPlace() async throws {
        try folder.write("x = 1\ny = = 2\n", to: "src/main.lua")
        try folder.write("\n\n)", to: "src/a.lua")
        try folder.write("return 1\n", to: "src/b.lua")
        try folder.write("return 2\n", to: "src/b c.lua")
        let (code, output, errors) = try await run(["lint", "src"])
        let lines = output.split(separator: "\n").map(String.init)
        #expect(code == 65 && errors.hasPrefix("error BND-0042: src has 3 mistakes\n"), "\(output)\(errors)")
        #expect(lines.contains { $0.hasPrefix("src/main.lua:2: error: unexpected symbol") })
        #expect(lines.contains { $0.hasPrefix("src/a.lua:3: error: unexpected symbol") })
        #expect(lines.contains { $0.hasPrefix("src/b c.lua: error: ") })
        let document = try ToolBench.json(try await run(["lint", "src", "--json"]).output)
        let remarks = try #require(document["remarks"] as? [[String: Any]])
        #expect(remarks.contains { $0["file"] as? String == "main.lua" && $0["line"] as? Int == 2 && $0["code"] as? String == "BND-0021" })
    }

    @Test func aGoodFolderPasses() async throws {
        try folder.write("import a\n", to: "src/main.py")
        try folder.write("x = 1\n", to: "src/a.py")
        let (code, output, errors) = try await run(["lint", "src"])
        #expect(code == 0 && output == "PASS  src: 2 scripts for the monocle\n" && errors == "", "\(output)\(errors)")
        #expect(try await run(["lint", "src", "--quiet"]).output == "")
    }

    @Test func theManifestIsExamined() async throws {
        try folder.write("import a\n", to: "src/main.py")
        try folder.write("x = 1\n", to: "src/a.py")
        try folder.write("x = 1\n", to: "src/spare.py")
        let zeros = String(repeating: "0", count: 64)
        let files = #"{"file":"a.py","sha256":"\#(zeros)"},{"file":"gone.py"},{"file":"main.py"}"#
        try folder.write(#"{"entries":[{"version":"v26.001.0000","hardware":"monocle","files":[\#(files)]}]}"#, to: "src/manifest.json")
        let (code, output, _) = try await run(["lint", "src"])
        let lines = output.split(separator: "\n").map(String.init)
        #expect(code == 65 && lines.contains { $0.hasPrefix("src/a.py: error: its SHA-256 is not that of manifest.json") }, "\(output)")
        #expect(lines.contains { $0.hasPrefix("src/manifest.json: error: ") && $0.contains("gone.py") }, "\(output)")
        #expect(lines.contains("src/spare.py: warning: manifest.json does not list it: it is left out"), "\(output)")
        try folder.write("{", to: "src/manifest.json")
        #expect(try await run(["lint", "src"]).output.contains("src/manifest.json: error: "))
    }

    @Test(arguments: [("none", 66), ("empty", 66)]) func withoutScriptsThereIsNoVerdict(name: String, exit: Int32) async throws {
        try folder.write("x", to: "empty/notes.txt")
        let (code, output, errors) = try await run(["lint", name])
        #expect(code != 0 && !output.contains("PASS") && errors.hasPrefix("error SCR-"), "\(code) \(output)\(errors)")
    }

    // MARK: - assets refresh

    private func catalogue() throws {
        for part in ["Firmware", "FPGA"] { try folder.write(#"{"entries": []}"#, to: "cat/\(part)/manifest.json") }
        for family in ["monocle", "frame"] {
            try FileManager.default.createDirectory(atPath: folder.path("cat/Scripts"), withIntermediateDirectories: true)
            let from = ToolBench.root.path + "/Scripts/\(family)"
            try FileManager.default.copyItem(atPath: from, toPath: folder.path("cat/Scripts/\(family)"))
        }
    }

    @Test func anEditedScriptGetsItsDigest() async throws {
        try catalogue()
        #expect(try await run(["assets", "check", "--assets", "cat"]).code == 0)
        #expect(try await run(["assets", "refresh", "--assets", "cat"]).output.hasPrefix("0 of "))
        let manifest = folder.path("cat/Scripts/frame/manifest.json")
        var raw = try ToolBench.json(String(decoding: try folder.read("cat/Scripts/frame/manifest.json"), as: UTF8.self))
        raw["ours"] = "kept"
        try JSONSerialization.data(withJSONObject: raw).write(to: URL(fileURLWithPath: manifest))
        try folder.write("return {}\n", to: "cat/Scripts/frame/state.lua")
        #expect(try await run(["assets", "check", "--assets", "cat"]).code == 65)
        let (code, output, _) = try await run(["assets", "refresh", "--assets", "cat"])
        #expect(code == 0 && output.contains("/cat/Scripts/frame/state.lua: its SHA-256 is new\n1 of "), "\(output)")
        #expect(try await run(["assets", "check", "--assets", "cat"]).code == 0)
        let text = String(decoding: try folder.read("cat/Scripts/frame/manifest.json"), as: UTF8.self)
        let after = try ToolBench.json(text)
        #expect(after["ours"] as? String == "kept" && text.contains("\"version\""))
        let document = try ToolBench.json(try await run(["assets", "refresh", "--family", "frame", "--assets", "cat", "--json"]).output)
        #expect((document["files"] as? [[String: Any]])?.allSatisfy { $0["changed"] as? Bool == false } == true)
    }

    @Test func aScriptThatIsGoneChangesNothing() async throws {
        try catalogue()
        let before = try folder.read("cat/Scripts/frame/manifest.json")
        try FileManager.default.removeItem(atPath: folder.path("cat/Scripts/frame/state.lua"))
        let (code, _, errors) = try await run(["assets", "refresh", "--assets", "cat"])
        #expect(code == 66 && errors.contains("CAT-0006") || errors.contains("CAT-00"), "\(errors)")
        #expect(try folder.read("cat/Scripts/frame/manifest.json") == before)
    }
}
