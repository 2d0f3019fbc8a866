import Foundation
import Provisioning
import TestSupport
import Testing

@testable import noafw

/// A bundle given for a package, and the other way round: the right option is named.
@Suite struct WrongFileTests {
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        try folder.write("a = 1\n", to: "src/main.py")
        let make = ["bundle", "src", "-o", "bundle.zip", "--no-check"]
        try #require(await Noafw.execute(in: Harness().context(make, folder: folder.path)) == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: ToolBench.root.path + "/Firmware")
        let package = try #require(names.first { $0.hasPrefix("monocle-development") && $0.hasSuffix(".zip") })
        try FileManager.default.copyItem(atPath: ToolBench.root.path + "/Firmware/" + package, toPath: folder.path("package.zip"))
    }

    private func expect(_ arguments: [String], _ code: String, _ option: String) async throws {
        let harness = Harness()
        let environment = ["HOME": folder.path, "NOAFW_ASSETS": ToolBench.root.path]
        let exit = await Noafw.execute(
            in: harness.context(
                arguments, services: FakeServices(
                    onFlash: { request, _ in
                        _ = try AssetChoice(
                            [.firmware], for: request.fleet.families.map(\.family), from: request.inputs, allowsDevelopment: true)
                        throw CommandError.noStateFolder
                    }), environment: environment, folder: folder.path))
        let text = harness.diagnostics
        #expect(exit == 65 && text.contains("error \(code): ") && text.contains(option), "\(text)")
    }

    @Test func aBundleIsNoPackage() async throws {
        for verb in [
            ["flash", "--virtual", "monocle", "--firmware", "bundle.zip"],
            ["bundle", "src", "-o", "x.zip", "--no-check", "--firmware", "bundle.zip"],
            ["package", "inspect", "bundle.zip"], ["package", "verify", "bundle.zip"],
            ["assets", "add", "bundle.zip", "--assets", ToolBench.root.path],
        ] { try await expect(verb, "BND-0041", "--bundle instead of --firmware") }
    }

    @Test func aPackageIsNoBundle() async throws {
        for verb in [
            ["flash", "--virtual", "monocle", "--bundle", "package.zip"], ["bundle", "show", "package.zip"],
            ["bundle", "--check", "package.zip", "src"],
        ] {
            try await expect(verb, "BND-0040", "--firmware instead of --bundle")
        }
    }
}
