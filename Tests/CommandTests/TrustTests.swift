import Bluetooth
import Foundation
import MonocleFamily
import Provisioning
import ScriptBundle
import Support
import TestSupport
import Testing

@testable import noafw

/// Which keys are taken for what.
@Suite struct TrustTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("a = 1\n", to: "src/main.py")
        try folder.write(PackageBench.image(9000), to: "app.bin")
    }

    private func run(_ arguments: [String], trusting trustFolder: String? = nil) async -> (code: Int32, output: String, errors: String) {
        let harness = Harness()
        let environment = trustFolder.map { ["NOAFW_TRUST_DIR": $0] } ?? [:]
        let code = await Noafw.execute(in: harness.context(arguments, environment: environment))
        return (code, harness.output.replacing(folder.path, with: "DIR"), harness.diagnostics.replacing(folder.path, with: "DIR"))
    }

    /// A private key and its public half.
    private func keys(_ kind: String, _ name: String) async throws -> (secret: String, open: String) {
        let secret = folder.path("\(name).pem")
        try #require(await run([kind, "key", "new", "-o", secret]).code == 0)
        let shown = await run([kind, "key", "show", secret] + (kind == "package" ? ["--format", "pem"] : []))
        return (secret, try folder.write(shown.output, to: "\(name)/\(name).pub.pem"))
    }

    private func bundle(_ name: String, _ options: [String] = []) async throws -> String {
        try #require(await run(["bundle", folder.path("src"), "-o", folder.path(name), "--no-check"] + options).code == 0)
        return folder.path(name)
    }

    @Test func checkKnowsTheTrustFolder() async throws {
        let (mine, other) = (try await keys("bundle", "mine"), try await keys("bundle", "other"))
        let signed = try await bundle("signed.zip", ["--sign", mine.secret])
        let plain = try await bundle("plain.zip")
        func check(_ file: String, _ trust: String) async -> Int32 {
            await run(["bundle", "--check", file, folder.path("src")], trusting: folder.path(trust)).code
        }
        #expect(await check(signed, "mine") == 0)
        #expect(await check(signed, "other") == 65)
        #expect(await check(plain, "mine") == 65)
        #expect(
            await run(["bundle", "--check", signed, folder.path("src"), "--trust", mine.open], trusting: folder.path("other")).code == 0)
        _ = other
    }

    @Test func aKeyForPackagesSaysNothingOfABundle() async throws {
        let (mine, package) = (try await keys("bundle", "mine"), try await keys("package", "pack"))
        for file in [try await bundle("plain.zip"), try await bundle("signed.zip", ["--sign", mine.secret])] {
            for words in [["bundle", "show", file], ["bundle", "--check", file, folder.path("src")]] {
                let refused = await run(words + ["--trust", package.open])
                #expect(refused.code == 65 && refused.errors.contains("error BND-0016"), "\(refused.errors)")
            }
        }
        let both = await run(["bundle", "show", folder.path("signed.zip"), "--trust", package.open, "--trust", mine.open])
        #expect(both.code == 0)
        #expect(both.errors == "note: DIR/pack/pack.pub.pem is a P-256 key: it is for firmware packages, not for bundles\n")
    }

    /// Who gives a key expects it to matter: a P-256 key alone lets no bundle through to a unit.
    @Test func flashTakesNoBundleForAPackageKey() async throws {
        let (mine, package) = (try await keys("bundle", "mine"), try await keys("package", "pack"))
        func load(_ file: String, _ trust: [String]) throws {
            let inputs = AssetInputs(
                bundle: file, trust: trust, search: AssetSearch(given: nil, environment: [:], currentDirectory: "/", executable: nil))
            _ = try AssetLoader(family: .monocle, inputs: inputs, allowsDevelopment: true, notice: { _ in }).load([.scripts])
        }
        for file in [try await bundle("plain.zip"), try await bundle("signed.zip", ["--sign", mine.secret])] {
            let refused = #expect(throws: BundleError.self) { try load(file, [package.open]) }
            #expect(refused?.diagnosis.code == "BND-0016")
            try load(file, [])
        }
        try load(folder.path("signed.zip"), [package.open, mine.open])
    }

    @Test func trustIsPublic() async throws {
        let (mine, package) = (try await keys("bundle", "mine"), try await keys("package", "pack"))
        let file = try await bundle("signed.zip", ["--sign", mine.secret])
        let zip = folder.path("app.zip")
        for name in ["Firmware", "FPGA", "Scripts/monocle"] { try folder.write(#"{"entries": []}"#, to: "catalogue/\(name)/manifest.json") }
        let create = ["package", "create", "--family", "monocle", "--application", folder.path("app.bin"), "--application-version", "1"]
        #expect(await run(create + ["--key-file", package.secret, "-o", zip]).code == 0)
        for words in [
            ["bundle", "show", file, "--trust", mine.secret], ["bundle", "--check", file, folder.path("src"), "--trust", mine.secret],
            ["bundle", folder.path("src"), "-o", folder.path("x.zip"), "--no-check", "--firmware", zip, "--trust", package.secret],
            ["package", "verify", zip, "--trust", package.secret],
            ["assets", "add", zip, "--assets", folder.path("catalogue"), "--key", package.secret],
        ] {
            let refused = await run(words)
            #expect(refused.code == 65 && refused.errors.contains("error NOA-0027"), "\(words): \(refused.errors)")
        }
        #expect(await run(["package", "verify", zip, "--trust", package.open]).code == 0)
        #expect(await run(["package", "verify", zip, "--key", package.secret]).code == 0)
        let inputs = AssetInputs(
            files: [.firmware: zip], trust: [package.secret],
            search: AssetSearch(given: ToolBench.root.path, environment: [:], currentDirectory: "/", executable: nil))
        let thrown = #expect(throws: (any Error).self) {
            _ = try AssetLoader(family: .monocle, inputs: inputs, allowsDevelopment: true, notice: { _ in }).load([.firmware])
        }
        #expect(thrown.map { diagnose($0).code } == "NOA-0027")
        try FileManager.default.copyItem(atPath: mine.secret, toPath: folder.path("mine/secret.pem"))
        #expect(await run(["bundle", "show", file], trusting: folder.path("mine")).errors.contains("error NOA-0027"))
    }

    @Test func aPublicKeyIsNotCalledPrivate() async throws {
        let mine = try await keys("bundle", "mine")
        chmod(mine.open, 0o644)
        let shown = await run(["bundle", "key", "show", mine.open])
        let text = String(decoding: try folder.read("mine/mine.pub.pem"), as: UTF8.self)
        #expect(shown.code == 0 && shown.output == text)
        let refused = await run(["bundle", folder.path("src"), "-o", folder.path("x.zip"), "--no-check", "--sign", mine.open])
        #expect(refused.code == 65 && refused.errors.hasPrefix("error BND-0013") && !refused.errors.contains("may read"))
    }

    @Test func aKeyThatOthersReadSignsNothing() async throws {
        let package = try await keys("package", "pack")
        chmod(package.secret, 0o644)
        let create = ["package", "create", "--family", "monocle", "--application", folder.path("app.bin"), "--application-version", "1"]
        let refused = await run(create + ["--key-file", package.secret, "-o", folder.path("app.zip"), "--json"])
        #expect(refused.code == 77 && refused.errors.hasPrefix("error NOA-0028"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("app.zip")))
    }
}
