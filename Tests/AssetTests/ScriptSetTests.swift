import Foundation
import Provisioning
import ScriptBundle
import TestSupport
import Testing

struct ScriptSetTests {
    @Test func manifestListsTheWholeSetInTheAppsOrder() throws {
        let listed = try AssetCatalogue(root: Repository.root.path).content(of: .scripts, for: "monocle")
        #expect(listed.files.map(\.name) == Repository.scriptNames)
        let fromFolder = try ScriptSet.load(folder: Repository.scripts.path)
        let fromManifest = try ScriptSet(files: listed.files.map { .init(name: $0.name, bytes: $0.bytes) })
        #expect(fromManifest == fromFolder)
        #expect(fromManifest.version == fromFolder.version)
        #expect(listed.isDevelopment)
    }

    @Test func frameHasAManifestOfItsOwn() throws {
        let listed = try AssetCatalogue(root: Repository.root.path).content(of: .scripts, for: "frame")
        #expect(listed.files.map(\.name) == ["state.lua", "graphics.lua", "link.lua", "media.lua", "picture.lua", "main.lua"])
        #expect(listed.isDevelopment)
    }

    @Test func scriptsAreSmallPlainTextThatEvenTheAppCouldUpload() throws {
        let files = try ScriptSet.load(folder: Repository.scripts.path).files
        #expect(files.reduce(0) { $0 + $1.bytes.count } < 17 * 1024)
        for file in files {
            #expect(file.bytes.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) }, "\(file.name)")
            let text = String(decoding: file.bytes, as: UTF8.self)
            #expect(!text.contains("'''"), "\(file.name)")
            #expect(!text.contains("ARGPT_VERSION"), "\(file.name): the version is put in when it is installed")
        }
    }
}
