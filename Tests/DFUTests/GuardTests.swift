import Cryptography
import MonocleFamily
import TestSupport
import Testing

@testable import DFU

/// Init packets that are right but for one field, which a bootloader would refuse after it has given up the old firmware.
@Suite struct GuardTests {
    private let image = Fixtures.image(5000)
    private let key: SigningKey

    init() throws { key = try SigningKey.generate() }

    /// - Parameters:
    ///   - field: protobuf bytes that stand once in a signed packet.
    private func firmware(_ field: [UInt8], replacedBy other: [UInt8]) throws -> FirmwareImage {
        var packet = try InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle).signed(by: key)
        let places = (0...(packet.count - field.count)).filter { Array(packet[$0..<($0 + field.count)]) == field }
        try #require(places.count == 1, "\(places)")
        packet.replaceSubrange(places[0]..<(places[0] + field.count), with: other)
        return FirmwareImage(kind: .application, bytes: image, initPacket: try InitPacket(parsing: packet))
    }

    /// Hash.hash_type SHA256, then 32 bytes of hash.
    @Test func anotherTypeOfHashIsRefused() throws {
        let firmware = try firmware([0x08, 0x03, 0x12, 0x20], replacedBy: [0x08, 0x02, 0x12, 0x20])
        #expect(fault { try firmware.checkIntegrity() } == .initPacketInvalid(reason: "it carries no SHA-256 of the image"))
    }

    /// SignedCommand.signature_type ECDSA_P256_SHA256, then 64 bytes of signature, which fits.
    @Test func anotherTypeOfSignatureIsRefused() throws {
        let firmware = try firmware([0x10, 0x00, 0x1A, 0x40], replacedBy: [0x10, 0x01, 0x1A, 0x40])
        #expect(fault { _ = try firmware.verify(with: [key.trusted(as: "test")]) } == .signatureTypeUnsupported(type: "Ed25519"))
    }

    /// Fields of a later definition, of every type: what is signed is found beside them all the same.
    @Test(arguments: [[0x78, 0x81, 1], [0x79, 1, 2, 3, 4, 5, 6, 7, 8], [0x7A, 2, 1, 2], [0x7D, 1, 2, 3, 4]] as [[UInt8]])
    func unknownFieldsArePassedOver(field: [UInt8]) throws {
        let packet = try InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle).signed(by: key)
        let plain = try InitPacket(parsing: packet)
        for bytes in [packet + field, field + packet] {
            let parsed = try InitPacket(parsing: bytes)
            #expect(parsed.signedBytes == plain.signedBytes && parsed.signature == plain.signature)
        }
    }

    /// A group within the signed bytes: a bootloader's decoder does not know how to pass it over (nanopb, `pb_skip_field`).
    @Test func aGroupInTheInitCommandIsRefused() throws {
        var packet = try InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle).unsigned()
        // Packet.command and Command.init become so much longer.
        for length in [1, 5] { packet[length] += 2 }
        #expect(fault { _ = try InitPacket(parsing: packet + [0x7B, 0x7C]) } == .initPacketInvalid(reason: "unknown wire type 3"))
        #expect(throws: Never.self) { try InitPacket(parsing: packet + [0x78, 1]) }
    }

    /// Held in memory; a file is refused while it is read.
    @Test func whatIsTooLargeForAPackageIsNotOpened() {
        let limit = DFUPackage.fileSizeLimit
        #expect(
            fault { _ = try DFUPackage(bytes: [UInt8](repeating: 0, count: limit + 1)) }
                == .fileTooLarge(byteCount: limit + 1, limit: limit))
        #expect(fault { _ = try DFUPackage(bytes: [UInt8](repeating: 0, count: limit)) } != .fileTooLarge(byteCount: limit, limit: limit))
    }
}
