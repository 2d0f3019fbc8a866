import Bluetooth
import FPGA
import Foundation
import FrameFamily
import MonocleFamily
import Provisioning
import ScriptBundle
import Support
import TestSupport
import Testing

@testable import noafw

/// A bundle as `flash` and `verify` take it: what it holds, and nothing else.
@Suite struct BundleLoaderTests {
    private let folder: TemporaryFolder
    private let set: ScriptSet

    init() throws {
        folder = try TemporaryFolder()
        set = try ScriptSet(files: [.init(name: "main.py", bytes: [0xEF, 0xBB, 0xBF]), .init(name: "a.py", bytes: [1])], scheme: .sha256)
    }

    private func load(
        _ name: String = "b.zip", _ parts: Set<Component>? = nil, trust: [String] = [],
        allowsDevelopment: Bool = true
    ) throws -> (AssetSet, [String]) {
        var notices: [String] = []
        // No catalogue anywhere: a look-up would fail.
        let search = AssetSearch(given: "/nonexistent", environment: [:], currentDirectory: "/nonexistent", executable: nil)
        let inputs = AssetInputs(bundle: folder.path(name), trust: trust, search: search)
        let assets = try AssetLoader(
            family: .monocle, inputs: inputs, allowsDevelopment: allowsDevelopment,
            notice: { notices.append($0.replacing(folder.path, with: "DIR")) }
        ).load(parts)
        return (assets, notices)
    }

    private func write(_ recipe: BundleRecipe, signedBy key: BundleSigningKey? = nil) throws {
        try Data(recipe.archive(place: "b.zip", signedBy: key)).write(to: URL(fileURLWithPath: folder.path("b.zip")))
    }

    private func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return diagnose(error).code
        }
    }

    @Test func partsThatAreNotThereAreLeftAlone() throws {
        try write(BundleRecipe(scripts: set, fpga: .init(version: "v23.230.0808", bytes: BitstreamBytes.make()), tool: "1"))
        let (assets, notices) = try load()
        #expect(assets.scripts == set && assets.scripts?.version == set.version)
        #expect(assets[.fpga]?.version == "v23.230.0808")
        #expect(assets[.firmware] == nil)
        #expect(notices == [
            "bundle DIR/b.zip: not signed", "the bundle holds no firmware; the unit's is left alone",
            "main.py begins with a byte order mark, which MicroPython treats as part of the first word",
        ])
        #expect(try load("b.zip", [.scripts]).0[.fpga] == nil)
        // Each component that was asked for, not one of them.
        #expect(code { _ = try load("b.zip", [.firmware]) } == "BND-0006")
        #expect(code { _ = try load("b.zip", [.firmware, .fpga, .scripts]) } == "BND-0006")
    }

    /// Nothing on real glasses would refuse it.
    @Test func aDevelopmentImageIsKnownInABundleToo() throws {
        let image = BitstreamBytes.make(text: "\u{0}\(DevelopmentMark.text)\u{0}")
        try write(BundleRecipe(scripts: set, fpga: .init(version: "v26.326.0800", bytes: image), tool: "1"))
        #expect(code { _ = try load(allowsDevelopment: false) } == "NOA-0006")
        #expect(try load().1.contains("FPGA image v26.326.0800 is a development image, not for hardware"))
        #expect(try load("b.zip", [.scripts], allowsDevelopment: false).0.scripts == set)
    }

    @Test func onlyATrustedBundleIsTakenWhenKeysAreGiven() throws {
        let key = try BundleSigningKey(name: "k", pem: BundleSigningKey.generate())
        let other = try BundleSigningKey(name: "k", pem: BundleSigningKey.generate())
        let trusted = try folder.write(key.publicKey.pem, to: "k.pem")
        let recipe = BundleRecipe(scripts: set, tool: "1")
        try write(recipe)
        #expect(code { _ = try load(trust: [trusted]) } == "BND-0010")
        try write(recipe, signedBy: other)
        #expect(code { _ = try load(trust: [trusted]) } == "BND-0011")
        try write(recipe, signedBy: key)
        #expect(try load(trust: [trusted]).1.first == "bundle DIR/b.zip: signed by \(key.publicKey.fingerprint), trusted as DIR/k.pem")
        #expect(try load().1.first == "bundle DIR/b.zip: signed by \(key.publicKey.fingerprint), unverified: no trusted key was given")
    }

    @Test func whatAUnitIsNotGivenIsRefused() throws {
        let lua = try ScriptSet(files: [.init(name: "main.lua", bytes: [])], family: .frame)
        try write(BundleRecipe(scripts: lua, tool: "1"))
        #expect(code { _ = try load() } == "BND-0005")
        let many = try ScriptSet(
            files: [.init(name: "main.py", bytes: [])] + (0..<64).map { .init(name: "\($0).py", bytes: []) }, limits: .bundle)
        try write(BundleRecipe(scripts: many, tool: "1"))
        #expect(code { _ = try load() } == "SCR-0006")
        try write(BundleRecipe(scripts: set, firmware: .init(version: "v23.248.0754", bytes: [1]), tool: "1"))
        #expect(code { _ = try load() } == "DFU-1003")
        try write(BundleRecipe(scripts: set, fpga: .init(version: "x", bytes: [1]), tool: "1"))
        #expect(code { _ = try load() } == "BND-0001")
        try write(BundleRecipe(scripts: set, fpga: .init(version: "v23.230.0808", bytes: Array("PK\u{3}\u{4}".utf8)), tool: "1"))
        #expect(code { _ = try load() } == "FPGA-0008")
    }

    /// An image may be shorter than the flash that it fills.
    @Test(arguments: [3, 1223]) func aNamedImageIsFoundInTheCatalogue(frameCount: Int) throws {
        let content = BitstreamBytes.make(frames: frameCount)
        try folder.write(content, to: "FPGA/image.bin")
        let digest = try FPGAImage(content).contentSHA256Text
        let list = #"{"entries":[{"file":"image.bin","hardware":"monocle","sha256":"\#(digest)","version":"v23.230.0808"}]}"#
        try folder.write(list, to: "FPGA/manifest.json")
        for name in ["Firmware", "Scripts"] { try folder.write("{}", to: "\(name)/manifest.json") }
        try folder.write(content, to: "elsewhere.bin")
        let search = AssetSearch(given: folder.path, environment: [:], currentDirectory: "/nonexistent", executable: nil)
        let inputs = AssetInputs(files: [.fpga: folder.path("elsewhere.bin")], search: search)
        let assets = try AssetLoader(family: .monocle, inputs: inputs, allowsDevelopment: false, notice: { _ in }).load([.fpga])
        #expect(assets[.fpga]?.version == "v23.230.0808")
    }

    /// Given or listed, it is refused before a unit is touched; who insists gets it.
    @Test func whatIsNoBitstreamIsTakenOnlyByInsistence() throws {
        try folder.write([1, 2, 3], to: "junk.bin")
        let search = AssetSearch(given: "/nonexistent", environment: [:], currentDirectory: "/nonexistent", executable: nil)
        var inputs = AssetInputs(files: [.fpga: folder.path("junk.bin")], versions: [.fpga: "v23.230.0808"], search: search)
        #expect(
            code { _ = try AssetLoader(family: .monocle, inputs: inputs, allowsDevelopment: false, notice: { _ in }).load([.fpga]) }
                == "FPGA-0008")
        inputs.allowsAnyFPGAImage = true
        let assets = try AssetLoader(family: .monocle, inputs: inputs, allowsDevelopment: false, notice: { _ in }).load([.fpga])
        #expect((assets[.fpga] as? BitstreamAsset)?.image.bytes.starts(with: [1, 2, 3, 0xFF]) == true)
    }
}
