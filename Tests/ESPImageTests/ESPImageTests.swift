import Cryptography
import ESPImage
import Support
import TestSupport
import Testing

@Suite struct ESPImageTests {
    private let target = ESPTarget(chip: .esp32s3, projectName: "IOS-Keyboard", slotByteCount: 1_572_864)

    @Test func anImageSaysWhatItIs() throws {
        let bytes = ESPImageRecipe().bytes
        let image = try ESPImage(bytes)
        #expect(image.chip == .esp32s3 && "\(image.chip)" == "esp32s3")
        #expect(image.entryAddress == 0x4037_8000)
        #expect(image.segments.map(\.loadAddress) == [0x3C00_0020, 0x4037_8000])
        #expect(image.descriptor.projectName == "IOS-Keyboard")
        #expect(image.descriptor.version == "v2.11.0-3-g0123abc")
        #expect(image.descriptor.date == "Jan 13 2026" && image.descriptor.time == "12:34:56")
        #expect(image.descriptor.idfVersion == "v6.1" && image.descriptor.secureVersion == 7)
        #expect(image.descriptor.elfSHA256 == Array(0..<32))
        #expect(image.digest == SHA256.of(bytes.dropLast(32)))
        try image.check(for: target)
    }

    @Test func oneWithoutADigestIsReadButNotSent() throws {
        var recipe = ESPImageRecipe()
        recipe.hasDigest = false
        let image = try ESPImage(recipe.bytes)
        #expect(image.digest == nil)
        #expect(throws: ESPImageError.noDigest) { try image.check(for: target) }
    }

    @Test func eachByteIsCovered() throws {
        let bytes = ESPImageRecipe().bytes
        for place in Array(0..<400) + stride(from: 400, to: bytes.count, by: 61) {
            var damaged = bytes
            damaged[place] ^= 0x10
            #expect(throws: ESPImageError.self, "byte \(place)") { try ESPImage(damaged) }
        }
    }

    @Test func aCutIsSeenWhereverItIs() throws {
        let bytes = ESPImageRecipe().bytes
        for count in Array(1..<300) + stride(from: 300, to: bytes.count, by: 37) + [bytes.count - 1] {
            #expect(throws: ESPImageError.cutShort(byteCount: count)) { try ESPImage(Array(bytes.prefix(count))) }
        }
        #expect(throws: ESPImageError.notAnImage(firstByte: nil)) { try ESPImage([]) }
        #expect(throws: ESPImageError.followed(byteCount: 1)) { try ESPImage(bytes + [0]) }
    }

    @Test func aDamagedHeaderIsNamed() throws {
        let bytes = ESPImageRecipe().bytes
        func changed(_ place: Int, _ value: UInt8) -> [UInt8] {
            var copy = bytes
            copy[place] = value
            return copy
        }
        #expect(throws: ESPImageError.notAnImage(firstByte: 0x7F)) { try ESPImage(changed(0, 0x7F)) }
        #expect(throws: ESPImageError.badSegment(number: 0, reason: "it has 0 segments")) { try ESPImage(changed(1, 0)) }
        #expect(throws: ESPImageError.badSegment(number: 0, reason: "it has 17 segments")) { try ESPImage(changed(1, 17)) }
        #expect(throws: ESPImageError.badSegment(number: 1, reason: "it has 301 bytes")) {
            var copy = bytes
            copy.replaceSubrange(28..<32, with: [45, 1, 0, 0])
            return try ESPImage(copy)
        }
        #expect(throws: ESPImageError.wrongChecksum) { try ESPImage(changed(bytes.count - 33, bytes[bytes.count - 33] ^ 1)) }
        #expect(throws: ESPImageError.wrongDigest) { try ESPImage(changed(bytes.count - 1, bytes[bytes.count - 1] ^ 1)) }
    }

    @Test func anApplicationWithoutADescriptorIsNone() throws {
        var recipe = ESPImageRecipe()
        recipe.hasDigest = false
        var bytes = recipe.bytes
        // The checksum stays right.
        bytes[32] ^= 1
        bytes[36] ^= 1
        #expect(throws: ESPImageError.noDescriptor) { try ESPImage(bytes) }
    }

    @Test func whatTheUnitCannotRunIsRefused() throws {
        var recipe = ESPImageRecipe()
        recipe.chip = 5
        #expect(throws: ESPImageError.wrongChip(ESPChip(rawValue: 5), wanted: .esp32s3)) { try ESPImage(recipe.bytes).check(for: target) }
        recipe = ESPImageRecipe()
        recipe.projectName = "blink"
        #expect(throws: ESPImageError.wrongProject("blink", wanted: "IOS-Keyboard")) { try ESPImage(recipe.bytes).check(for: target) }
        recipe = ESPImageRecipe()
        let count = recipe.bytes.count
        recipe.codeByteCount += target.slotByteCount - count
        #expect(try ESPImage(recipe.bytes).bytes.count == target.slotByteCount)
        try ESPImage(recipe.bytes).check(for: target)
        recipe.codeByteCount += 16
        #expect(throws: ESPImageError.tooLargeForSlot(byteCount: target.slotByteCount + 16, slot: target.slotByteCount)) {
            try ESPImage(recipe.bytes).check(for: target)
        }
    }

    @Test func anUnknownChipHasANumber() { #expect("\(ESPChip(rawValue: 0x1234))" == "chip 0x1234") }

    @Test func textsOfAnImageArePrintable() throws {
        var recipe = ESPImageRecipe()
        recipe.projectName = "a\u{1B}[31mb"
        let name = try ESPImage(recipe.bytes).descriptor.projectName
        #expect(!name.unicodeScalars.contains("\u{1B}"))
    }
}
