import Cryptography

/// Makes application images of an ESP32 (ESP-IDF, `esp_app_format.h`): no program, but everything that a reader looks at.
package struct ESPImageRecipe: Sendable {
    package var chip: UInt16 = 9
    package var projectName = "IOS-Keyboard"
    /// The descriptor's.
    package var buildVersion = "v2.11.0-3-g0123abc"
    /// What the application reports when it runs; lies between its other texts.
    package var version = "2.11.0"
    package var hasDigest = true
    /// Of the second segment, in bytes: a multiple of 4.
    package var codeByteCount = 4096
    package var otherTexts: [String] = []

    package init() {}

    package init(version: String) { self.version = version }

    package var bytes: [UInt8] {
        var data = descriptor
        for text in ["tag", version] + otherTexts { data += [0] + Array(text.utf8) }
        data += [UInt8](repeating: 0, count: 4 - data.count % 4)
        let code = (0..<codeByteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) | 0x80 }
        var image = header(segments: 2) + segment(at: chip == 0 ? 0x3F40_0020 : 0x3C00_0020, data) + segment(at: 0x4037_8000, code)
        let sum = (data + code).reduce(0xEF, ^)
        image += [UInt8](repeating: 0, count: 15 - image.count % 16) + [sum]
        return hasDigest ? image + SHA256.of(image) : image
    }

    private func header(segments: UInt8) -> [UInt8] {
        [0xE9, segments, 0x02, 0x2F] + word(0x4037_8000) + [0xEE, 0, 0, 0] + [UInt8(chip & 0xFF), UInt8(chip >> 8)] + [0, 0, 0, 0x63, 0]
            + [0, 0, 0, 0, hasDigest ? 1 : 0]
    }

    private func segment(at address: UInt32, _ content: [UInt8]) -> [UInt8] { word(address) + word(UInt32(content.count)) + content }

    private var descriptor: [UInt8] {
        word(0xABCD_5432) + word(7) + word(0) + word(0) + text(buildVersion, 32) + text(projectName, 32) + text("12:34:56", 16)
            + text("Jan 13 2026", 16) + text("v6.1", 32) + (0..<32).map { UInt8($0) } + [UInt8](repeating: 0, count: 80)
    }

    private func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    private func text(_ value: String, _ count: Int) -> [UInt8] {
        let bytes = Array(value.utf8.prefix(count - 1))
        return bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }
}
