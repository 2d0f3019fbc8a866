import ESPImage
import Support
import TestSupport
import Testing

/// Espressif's own tool reads the same of an image.
@Suite(.enabled(if: TestTools.mayRunEsptool, "esptool is missing: run Tools/setup tests"))
struct EsptoolTests {
    @Test(arguments: [UInt16(9), 0, 5], [true, false]) func itAgrees(chip: UInt16, hasDigest: Bool) async throws {
        let folder = try ToolFolder()
        defer { folder.remove() }
        var recipe = ESPImageRecipe()
        (recipe.chip, recipe.hasDigest) = (chip, hasDigest)
        let image = try ESPImage(recipe.bytes)
        let run = try await folder.run(
            TestTools.require(TestTools.esptool, "esptool"),
            ["--chip", "\(image.chip)", "image-info", folder.write(recipe.bytes, to: "a.bin")])
        #expect(run.status == 0, "\(run.output)")
        for text in [
            "Project name: IOS-Keyboard", "App version: v2.11.0-3-g0123abc", "ESP-IDF: v6.1", "Secure version: 7", "(valid)",
            HexText.encode(image.descriptor.elfSHA256),
        ] { #expect(run.output.contains(text), "\(text)\n\(run.output)") }
        if let digest = image.digest { #expect(run.output.contains("Validation hash: \(HexText.encode(digest)) (valid)"), "\(run.output)") }
    }
}
