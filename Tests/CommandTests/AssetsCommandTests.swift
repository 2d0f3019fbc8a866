import Foundation
import TestSupport
import Testing

@testable import noafw

@Suite struct AssetsCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["Firmware", "FPGA", "Scripts/monocle"] { try folder.write(#"{"entries": []}"#, to: "\(name)/manifest.json") }
        try folder.write(BitstreamBytes.make(), to: "given.bin")
    }

    private func run(_ arguments: [String]) async throws -> (code: Int32, output: String, errors: String) {
        let harness = Harness()
        let code = await Noafw.execute(in: harness.context(["assets"] + arguments + ["--assets", folder.path]))
        return (code, harness.output.replacing(folder.path, with: "DIR"), harness.diagnostics.replacing(folder.path, with: "DIR"))
    }

    @Test func anImageIsAddedListedAndChecked() async throws {
        let add = ["add", folder.path("given.bin"), "--version", "v23.230.0808"]
        #expect(try await run(add).output == "added fpga v23.230.0808 for the monocle as DIR/FPGA/monocle-v23.230.0808.bin\n")
        #expect(try await run(add).output == "fpga v23.230.0808 for the monocle is there already: DIR/FPGA/monocle-v23.230.0808.bin\n")
        #expect(try await run(["list"]).output == """
            DIR
            part  version       hardware  kind     used  file
            fpga  v23.230.0808  monocle   release  yes   monocle-v23.230.0808.bin

            """)
        #expect(try await run(["check"]).output.contains("good"))
        try folder.write([1, 2, 4], to: "FPGA/monocle-v23.230.0808.bin")
        let bad = try await run(["check", "--json"])
        #expect(bad.code == 65 && bad.errors.contains("CAT-0010") && bad.errors.contains("error CAT-0020: 1 entry of the catalogue is bad"))
        let document = try ToolBench.json(bad.output)
        let entries = try #require(document["entries"] as? [[String: Any]])
        #expect(document["schema"] as? String == "noafw.assets/1" && entries.count == 1)
        #expect(entries[0]["verdict"] as? String == "bad" && entries[0]["used"] as? Bool == true)
    }

    /// Nothing was checked: that is no success.
    @Test func anEmptyCatalogueIsNotGood() async throws {
        let check = try await run(["check", "--json"])
        #expect(check.code == 66 && check.errors.contains("error CAT-0021: the catalogue DIR holds no entry"), "\(check)")
        #expect((try ToolBench.json(check.output)["error"] as? [String: Any])?["code"] as? String == "CAT-0021")
        #expect(try await run(["list"]).code == 0)
    }

    @Test func whatIsNoBitstreamIsNotAdded() async throws {
        try folder.write([1, 2, 3], to: "junk.bin")
        let refused = try await run(["add", folder.path("junk.bin"), "--version", "v23.230.0808"])
        #expect(refused.code == 65 && refused.errors.hasPrefix("error FPGA-0008"), "\(refused)")
    }

    /// The project's own stand-in is no release, whatever the command says.
    @Test func aDevelopmentImageIsListedAsOne() async throws {
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: ToolBench.root.path + "/FPGA").first { $0.hasSuffix(".bin") })
        let added = try await run(["add", ToolBench.root.path + "/FPGA/\(name)", "--version", "v26.326.0800"])
        #expect(added.errors.contains("note: the image is one of noafw's development images; it is listed as one"), "\(added)")
        #expect(try await run(["list"]).output.contains("development"))
        _ = try await run(["add", folder.path("given.bin"), "--version", "v23.230.0808"])
        let list = try await run(["list"]).output.split(separator: "\n")
        #expect(list.contains { $0.contains("v23.230.0808") && $0.contains("yes") }, "the release is used: \(list)")
    }

    @Test func whatDoesNotMatchIsRefused() async throws {
        let file = folder.path("given.bin")
        #expect(try await run(["add", file]).errors.hasPrefix("error CAT-0012"))
        #expect(try await run(["add", file, "--version", "v23.230.0808", "--hardware", "frame"]).errors.hasPrefix("error CAT-0016"))
        let wrong = try await run(["add", file, "--version", "v23.230.0808", "--sha256", String(repeating: "0", count: 64), "--json"])
        #expect(wrong.code == 65 && wrong.errors.hasPrefix("error CAT-0018"))
        #expect(try ToolBench.json(wrong.output)["action"] as? String == "failed")
        #expect(try await run(["add", file, "--version", "v23.230.0808", "--sha256", "12"]).code == 64)
        try folder.write("PK\u{3}\u{4}", to: "given.zip")
        #expect(try await run(["add", folder.path("given.zip")]).errors.hasPrefix("error DFU-1003"))
        #expect(try await run(["add", folder.path("none")]).code == 66)
        #expect(try folder.names() == ["FPGA", "Firmware", "Scripts", "given.bin", "given.zip"])
    }

    /// The project's own folders are what the manifests say.
    @Test func theProjectsOwnAssetsAreGood() async throws {
        let harness = Harness()
        let code = await Noafw.execute(in: harness.context(["assets", "check", "--assets", ToolBench.root.path]))
        #expect(code == 0, "\(harness.diagnostics)\(harness.output)")
    }
}
