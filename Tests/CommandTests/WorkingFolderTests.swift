import Foundation
import MonocleFamily
import Provisioning
import TestSupport
import Testing

@testable import noafw

/// Relative names start from the context's folder, wherever the process was started.
@Suite struct WorkingFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("a = 1\n", to: "src/main.py")
        try folder.write(PackageBench.image(9000), to: "app.bin")
    }

    private func run(
        _ words: String, environment: [String: String] = [:]
    ) async throws -> (code: Int32, output: String, errors: String) {
        let harness = Harness()
        let arguments = words.split(separator: " ").map(String.init)
        let code = await Noafw.execute(in: harness.context(arguments, environment: environment, folder: folder.path))
        return (code, harness.output, harness.diagnostics)
    }

    private func succeed(_ words: String, environment: [String: String] = [:]) async throws -> String {
        let ended = try await run(words, environment: environment)
        try #require(ended.code == 0, "\(words): \(ended.errors)")
        return ended.output
    }

    @Test func bundlesAndTheirKeys() async throws {
        _ = try await succeed("bundle key new -o key.pem")
        try folder.write(try await succeed("bundle key show key.pem"), to: "trust/key.pub.pem")
        let made = try await succeed("bundle src -o out.zip --no-check --sign key.pem")
        #expect(made.hasPrefix("out.zip: bundle for the monocle"), "the name is the operator's own: \(made)")
        let trust = ["NOAFW_TRUST_DIR": "trust"]
        #expect(try await succeed("bundle show out.zip", environment: trust).contains("trusted as trust/key.pub.pem"))
        #expect(try await succeed("bundle --check out.zip src --trust trust/key.pub.pem").hasPrefix("PASS  src is what out.zip holds"))
        #expect(try folder.names() == ["app.bin", "key.pem", "out.zip", "src", "trust"])
    }

    @Test func aMissingTrustFolderIsLookedForHere() async throws {
        _ = try await succeed("bundle src -o out.zip --no-check")
        let refused = try await run("bundle show out.zip", environment: ["NOAFW_TRUST_DIR": "none"])
        #expect(refused.code == 66 && refused.errors.contains("error NOA-0067: there is no trust folder none"))
    }

    @Test func aCheckerIsNamedFromHere() async throws {
        let checker = try folder.write("#!/bin/sh\nexit 0\n", to: "checker")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: checker)
        _ = try await succeed("bundle src -o out.zip", environment: ["NOAFW_MPY_CROSS": "./checker"])
    }

    @Test func packagesAndTheirKeys() async throws {
        _ = try await succeed("package key new -o key.pem")
        _ = try await succeed("package key show key.pem")
        let create = "package create --family monocle --application app.bin --application-version 12 --key-file key.pem -o out.zip"
        #expect(try await succeed(create).hasPrefix("out.zip: "))
        #expect(try await succeed("package inspect out.zip").hasPrefix("out.zip: "))
        #expect(try await succeed("package verify out.zip --key key.pem").contains("PASS"))
        #expect(try folder.names() == ["app.bin", "key.pem", "out.zip", "src"])
    }

    @Test func aResultIsNoInputByAnotherName() async throws {
        _ = try await succeed("package key new -o key.pem")
        let create = "package create --family monocle --application app.bin --application-version 12 --key-file key.pem -o"
        #expect(try await run("\(create) ./app.bin").errors.contains("error NOA-0024: ./app.bin is also an input"))
        #expect(
            try await run("bundle src -o src/out.zip --no-check").errors.contains(
                "error NOA-0025: src/out.zip is in src, which is an input"))
    }

    @Test func theCatalogue() async throws {
        for name in ["Firmware", "FPGA", "Scripts/monocle"] { try folder.write(#"{"entries": []}"#, to: "line/\(name)/manifest.json") }
        try folder.write(BitstreamBytes.make(), to: "given.bin")
        _ = try await succeed("assets add given.bin --version v23.230.0808 --assets line")
        #expect(try await succeed("assets list", environment: ["NOAFW_ASSETS": "line"]).contains("v23.230.0808"))
    }

    /// What a run works with is opened from the context's folder, too.
    @Test func theFilesOfARun() async throws {
        _ = try await succeed("bundle src -o out.zip --no-check")
        let search = AssetSearch(given: nil, environment: [:], currentDirectory: folder.path, executable: nil)
        func load(_ inputs: AssetInputs) throws -> Bool {
            try AssetLoader(family: .monocle, inputs: inputs, allowsDevelopment: true, notice: { _ in }).load([.scripts]).scripts != nil
        }
        #expect(try load(AssetInputs(bundle: "out.zip", search: search)))
        #expect(try load(AssetInputs(files: [.scripts: "src"], search: search)))
        try folder.write(BitstreamBytes.make(), to: "given.bin")
        let inputs = AssetInputs(files: [.fpga: "given.bin"], versions: [.fpga: "v23.230.0808"], search: search)
        #expect(try AssetLoader(family: .monocle, inputs: inputs, allowsDevelopment: true, notice: { _ in }).load([.fpga])[.fpga] != nil)
    }
}
