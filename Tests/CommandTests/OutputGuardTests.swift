import Foundation
import TestSupport
import Testing

@testable import noafw

/// Nothing that a command is given is lost to its own output.
@Suite struct OutputGuardTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("a = 1\n", to: "src/main.py")
        try folder.write([1, 2, 3], to: "fpga.bin")
        try folder.write(PackageBench.image(9000), to: "app.bin")
    }

    private func run(_ arguments: [String]) async -> (code: Int32, errors: String) {
        let harness = Harness()
        let code = await Noafw.execute(in: harness.context(arguments, environment: ["HOME": folder.path]))
        return (code, harness.diagnostics.replacing(folder.path, with: "DIR"))
    }

    private func bundle(_ output: String, _ options: [String] = []) async -> (code: Int32, errors: String) {
        await run(["bundle", folder.path("src"), "-o", output, "--no-check"] + options)
    }

    private func package(_ output: String, key: String) async -> (code: Int32, errors: String) {
        await run([
            "package", "create", "--family", "monocle", "--application", folder.path("app.bin"), "--application-version", "1",
            "--key-file", key, "-o", output,
        ])
    }

    private func key(_ kind: String, _ name: String = "k.pem") async throws -> String {
        try #require(await run([kind, "key", "new", "-o", folder.path(name)]).code == 0)
        return folder.path(name)
    }

    /// All files, to be compared afterwards.
    private func content() throws -> [String: [UInt8]] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: folder.path(name), isDirectory: &isFolder) && !isFolder.boolValue
        }
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try folder.read($0)) })
    }

    @Test func aKeyIsNotOverwrittenByWhatItSigns() async throws {
        let (bundleKey, packageKey) = (try await key("bundle"), try await key("package", "p.pem"))
        let before = try content()
        let bundled = await bundle(bundleKey, ["--sign", bundleKey])
        #expect(bundled.code == 64 && bundled.errors.hasPrefix("error NOA-0024: DIR/k.pem is also an input\n"), "\(bundled.errors)")
        let packed = await package(packageKey, key: packageKey)
        #expect(packed.code == 64 && packed.errors.hasPrefix("error NOA-0024"), "\(packed.errors)")
        for path in [bundleKey, packageKey] {
            let other = await bundle(path)
            #expect(other.code == 64 && other.errors.hasPrefix("error NOA-0026"), "\(other.errors)")
            #expect(await package(path, key: packageKey).code == 64)
        }
        #expect(try content() == before)
    }

    @Test func anImageIsNotOverwritten() async throws {
        let packageKey = try await key("package")
        let before = try content()
        #expect(await package(folder.path("app.bin"), key: packageKey).errors.hasPrefix("error NOA-0024"))
        let fpga = ["--fpga", folder.path("fpga.bin"), "--fpga-version", "v23.230.0808"]
        #expect(await bundle(folder.path("fpga.bin"), fpga).errors.hasPrefix("error NOA-0024"))
        #expect(await bundle(folder.path("src/../fpga.bin"), fpga).errors.hasPrefix("error NOA-0024"))
        #expect(try content() == before)
    }

    @Test func linksAreTheFileThatTheyNameOrShare() async throws {
        let bundleKey = try await key("bundle")
        try FileManager.default.linkItem(atPath: bundleKey, toPath: folder.path("hard.zip"))
        try FileManager.default.createSymbolicLink(atPath: folder.path("soft.pem"), withDestinationPath: "k.pem")
        let before = try content()
        #expect(await bundle(folder.path("hard.zip"), ["--sign", bundleKey]).errors.hasPrefix("error NOA-0024"))
        #expect(await bundle(bundleKey, ["--sign", folder.path("soft.pem")]).errors.hasPrefix("error NOA-0024"))
        #expect(await bundle(folder.path("soft.pem"), ["--sign", bundleKey]).code != 0)
        #expect(try content() == before)
    }

    @Test func nothingIsWrittenIntoTheFolderOfTheScripts() async throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "src")
        try FileManager.default.createDirectory(atPath: folder.path("src/deep"), withIntermediateDirectories: true)
        let before = try content()
        for name in ["src/main.py", "src/new.zip", "link/new.zip", "src/deep/new.zip", "src/deep/../new.zip"] {
            let refused = await bundle(folder.path(name))
            #expect(refused.code == 64 && refused.errors.hasPrefix("error NOA-0025"), "\(name): \(refused.errors)")
        }
        #expect(try content() == before)
        #expect(await bundle(folder.path("src.zip")).code == 0)
        #expect(await bundle(folder.path("src.zip")).code == 0)
    }

    /// What is said is added to a file, which would spoil a key or the script.
    @Test(arguments: ["k.pem", "talk.txt"]) func aTranscriptIsNoOtherFile(name: String) async throws {
        _ = try await key("bundle")
        try folder.write("send hello\n", to: "talk.txt")
        let before = try content()
        let chat = ["chat", "--virtual", "monocle", "--assistant", "echo", "--script", folder.path("talk.txt")]
        let refused = await run(chat + ["--transcript", folder.path(name)])
        #expect(refused.code == 64 && refused.errors.hasPrefix("error NOA-002\(name == "k.pem" ? 6 : 4)"), "\(refused.errors)")
        #expect(try content() == before)
    }
}
