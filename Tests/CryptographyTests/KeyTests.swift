import Support
import Testing

@testable import Cryptography

@Suite struct DigestTests {
    /// FIPS 180-4, appendix B of its predecessor.
    @Test func digestsAreTheStandards() {
        #expect(SHA256.text(of: "abc".utf8) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(SHA256.text(of: []) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func piecesGiveTheWhole() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        let stream = SHA256Stream()
        for start in stride(from: 0, to: bytes.count, by: 33) { stream.update(bytes[start..<min(start + 33, bytes.count)]) }
        #expect(stream.finish() == SHA256.of(bytes))
    }
}

@Suite struct Ed25519Tests {
    /// RFC 8032, 7.1, test 2.
    @Test func signaturesAreTheStandards() throws {
        let point = try #require(HexText.decode("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
        let signature = try #require(HexText.decode(
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
            ))
        let key = try #require(Ed25519.PublicKey(bytes: point))
        #expect(key.verifies(signature, over: [0x72]))
        #expect(!key.verifies(signature, over: [0x73]) && !key.verifies(Array(signature.dropLast()), over: [0x72]))
        #expect(Ed25519.PublicKey(pem: Array(key.pem.utf8)) == key)
    }

    @Test func keysComeBackFromTheirFiles() throws {
        let key = try #require(Ed25519.PrivateKey.generate())
        let again = try #require(Ed25519.PrivateKey(pem: key.pem))
        let message = Array("release".utf8)
        let signature = try #require(again.sign(message))
        #expect(signature == key.sign(message) && key.publicKey.verifies(signature, over: message))
        #expect(Ed25519.PublicKey(pem: key.pem) == nil && Ed25519.PrivateKey(pem: Array(key.publicKey.pem.utf8)) == nil)
        #expect(P256.PrivateKey(pem: key.pem) == nil && P256.PublicKey(pem: Array(key.publicKey.pem.utf8)) == nil)
    }
}

@Suite struct P256Tests {
    /// RFC 6979, A.2.5, SHA-256, "sample".
    @Test func signaturesAreTheStandards() throws {
        let point = try #require(HexText.decode(
                "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
            ))
        let signature = try #require(HexText.decode(
                "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
            ))
        let key = try #require(P256.PublicKey(point: point))
        #expect(key.verifies(signature, over: Array("sample".utf8)))
        #expect(!key.verifies(signature, over: Array("test".utf8)) && !key.verifies(signature.reversed(), over: Array("sample".utf8)))
        #expect(!key.verifies([], over: []) && !key.verifies([UInt8](repeating: 0, count: 64), over: []))
        #expect(P256.PublicKey(pem: Array(try #require(key.pem).utf8)) == key)
    }

    @Test func onlyPointsOfTheCurveAreKeys() {
        #expect(P256.PublicKey(point: [UInt8](repeating: 1, count: 64)) == nil)
        #expect(P256.PublicKey(point: []) == nil)
    }

    @Test func keysComeBackFromTheirFiles() throws {
        let key = try #require(P256.PrivateKey.generate())
        let again = try #require(P256.PrivateKey(pem: Array(key.pem.utf8)))
        let signature = try #require(again.sign([1, 2, 3]))
        #expect(key.publicKey.verifies(signature, over: [1, 2, 3]) && again.publicKey == key.publicKey)
        #expect(P256.PrivateKey(pem: Array(try #require(key.publicPEM).utf8)) == nil)
        #expect(P256.PrivateKey(pem: []) == nil && P256.PrivateKey(pem: [UInt8](repeating: 65, count: KeyFile.sizeLimit + 1)) == nil)
    }
}
