import Cryptography
import MonocleFamily
import Support
import TestSupport
import Testing

@testable import DFU

@Suite struct SigningTests {
    @Test func theVendorKeyIsAPointOfTheCurve() throws {
        let key = try TrustedKey(name: "again", coordinates: TrustedKey.monocleVendor.coordinates)
        #expect(key.coordinates.first == 0xED && key.coordinates.last == 0x0F && key.coordinates.count == 64)
    }

    @Test func coordinatesOffTheCurveAreRefused() {
        var coordinates = TrustedKey.monocleVendor.coordinates
        coordinates[0] ^= 1
        #expect(throws: DFUError.self) { try TrustedKey(name: "bad", coordinates: coordinates) }
        #expect(throws: DFUError.self) { try TrustedKey(name: "short", coordinates: [1, 2, 3]) }
    }

    @Test func signaturesVerifyAndChangesDoNot() throws {
        let key = try SigningKey.generate()
        let trusted = key.trusted(as: "k")
        let message = Array("message".utf8)
        let signature = try key.sign(message)
        #expect(signature.count == 64)
        #expect(trusted.verifies(signature, over: message))
        #expect(!trusted.verifies(signature, over: message + [0]))
        #expect(!trusted.verifies(Array(signature.reversed()), over: message))
        #expect(!trusted.verifies([UInt8](repeating: 0, count: 64), over: message))
        #expect(!trusted.verifies(Array(signature.dropLast()), over: message))
        #expect(!TrustedKey.monocleVendor.verifies(signature, over: message))
    }

    @Test func keysSurviveTheirTextForm() throws {
        let key = try SigningKey.generate()
        let again = try SigningKey(name: "again", pem: Array(key.pem.utf8))
        #expect(again.publicCoordinates == key.publicCoordinates)
        let publicPEM = try key.publicPEM()
        #expect(publicPEM.contains("BEGIN PUBLIC KEY"))
        #expect(try TrustedKey(name: "k", pem: Array(publicPEM.utf8)).coordinates == key.publicCoordinates)
        #expect(try TrustedKey(name: "k", pem: Array(key.pem.utf8)).coordinates == key.publicCoordinates)
        #expect(throws: DFUError.self) { try SigningKey(name: "public", pem: Array(publicPEM.utf8)) }
    }

    @Test(arguments: ["", "x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
    func textThatIsNoKeyIsRefused(text: String) {
        #expect(throws: DFUError.self) { try TrustedKey(name: "bad", pem: Array(text.utf8)) }
        #expect(throws: DFUError.self) { try SigningKey(name: "bad", pem: Array(text.utf8)) }
    }

    /// A published test vector (NIST P-256, RFC 6979 A.2.5, message "sample"), turned into Nordic's byte order.
    @Test func aPublishedVectorVerifies() throws {
        func number(_ hex: String) -> [UInt8] {
            stride(from: 0, to: 64, by: 2).map { index in
                let start = hex.index(hex.startIndex, offsetBy: index)
                return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16) ?? 0
            }.reversed()
        }
        let x = number("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6")
        let y = number("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299")
        let r = number("EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716")
        let s = number("F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8")
        let key = try TrustedKey(name: "vector", coordinates: x + y)
        #expect(key.verifies(r + s, over: Array("sample".utf8)))
        #expect(!key.verifies(r + s, over: Array("samplE".utf8)))
    }
}

@Suite struct ChecksumTests {
    @Test func knownAnswers() {
        #expect(CRC32.of(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.of([]) == 0)
        #expect(SHA256.of("abc".utf8).prefix(4).elementsEqual([0xBA, 0x78, 0x16, 0xBF]))
    }

    @Test(arguments: [0, 1, 4095, 4096, 4097, 9999, 10_000]) func everyPrefixIsKnown(offset: Int) {
        let bytes = Fixtures.image(10_000)
        let source = ObjectSource(bytes)
        let crc = referenceCRC(bytes.prefix(offset))
        #expect(source.matches(Checksum(offset: UInt32(offset), crc: crc)))
        // The CRC of nothing shares its memory with an address.
        #expect(source.matches(Checksum(offset: UInt32(offset), crc: crc ^ 1)) == (offset == 0))
    }

    @Test func offsetsPastTheEndMatchNothing() {
        #expect(!ObjectSource([1, 2]).matches(Checksum(offset: 3, crc: 0)))
        #expect(!ObjectSource([1, 2]).matches(Checksum(offset: .max, crc: 0)))
    }
}

@Suite struct FirmwareVersionTests {
    @Test(arguments: ["v23.248.0754", "v00.001.0000", "v99.366.2359"]) func textsSurvive(text: String) {
        #expect(FirmwareVersion(text)?.description == text)
    }

    @Test(arguments: [
        "", "v23.248.075", "v23.248.07544", "23.248.0754", "v23.000.0754", "v23.367.0000", "v23.248.2400",
        "v23.248.0760", "v2x.248.0754", "v2:.248.0754", "v2/.248.0754", "v23-248-0754", "V23.248.0754", "v00.000.0000",
    ])
    func otherTextsAreNone(text: String) { #expect(FirmwareVersion(text) == nil) }

    @Test func orderIsByTime() throws {
        let texts = ["v22.300.2359", "v23.001.0000", "v23.248.0754", "v23.248.0755", "v24.001.0000"]
        let versions = texts.compactMap(FirmwareVersion.init)
        #expect(versions.count == 5 && versions.shuffled().sorted() == versions)
    }

    @Test func imagesAreSearched() throws {
        func versions(_ text: String) -> [String] { FirmwareVersion.all(in: Array(text.utf8)).map(\.description) }
        #expect(versions("\u{0}v23.248.0754\u{0}") == ["v23.248.0754"])
        #expect(versions("v23.248.0754") == ["v23.248.0754"])
        #expect(versions("xv23.248.0754").isEmpty && versions("v23.248.07541").isEmpty)
        #expect(versions("v23.248.0754 v23.248.0754 v23.230.0808") == ["v23.248.0754", "v23.230.0808"])
        #expect(versions("v23.24").isEmpty)
    }

    /// Quadratic work on this image would take minutes.
    @Test(.timeLimit(.minutes(1))) func anImageFullOfVersionsIsSearchedAtOnce() {
        let texts = (0..<60_000).compactMap { FirmwareVersion(year: $0 / 36_000, day: $0 / 100 % 360 + 1, time: $0 % 60) }
        let image = texts.reduce(into: [UInt8]()) { $0 += Array($1.description.utf8) + [0] }
        #expect(FirmwareVersion.all(in: image).count == Set(texts).count)
    }

    @Test func twoVersionsInAnImageAreNotGuessed() throws {
        let text = Array("\u{0}v23.248.0754\u{0}v23.230.0808\u{0}".utf8)
        let firmware = try Fixtures.firmware(600)
        let image = FirmwareImage(kind: .application, bytes: text, initPacket: firmware.initPacket)
        #expect(image.version == nil && image.versions.count == 2)
        #expect(firmware.version?.description == Fixtures.versionText)
    }
}
