import Bluetooth
import Cryptography
import Foundation
import FrameFamily
import MonocleFamily
import TestSupport
import Testing

@testable import DFU

@Suite(
    .enabled(
        if: TestTools.mayRunNrfutil, "nrfutil is missing: run Tools/setup tests"),
    .timeLimit(.minutes(2)))
struct NrfutilTests {
    let image = Fixtures.image(70_000)

    @Test func opensWhatNrfutilMakes() async throws {
        let nrfutil = try Nrfutil()
        defer { nrfutil.files.remove() }
        let keys = try await nrfutil("keys", "generate", nrfutil.files.path("key.pem"))
        #expect(keys.status == 0, "\(keys.output)")
        try IntelHexText.of([(0x26000, image)]).write(toFile: nrfutil.files.path("app.hex"), atomically: true, encoding: .utf8)
        let made = try await nrfutil(
            "pkg", "generate", "--application", nrfutil.files.path("app.hex"), "--application-version", "9",
            "--hw-version", "52", "--sd-req", "0x0124,0x0123", "--key-file", nrfutil.files.path("key.pem"),
            "--app-boot-validation", "VALIDATE_GENERATED_SHA256", nrfutil.files.path("made.zip"))
        #expect(made.status == 0, "\(made.output)")

        let pem = try Array(Data(contentsOf: URL(fileURLWithPath: nrfutil.files.path("key.pem"))))
        let key = try TrustedKey(name: "nrfutil", pem: pem)
        let package = try DFUPackage(bytes: Array(Data(contentsOf: URL(fileURLWithPath: nrfutil.files.path("made.zip")))))
        #expect(try package.check(against: .monocle, trusting: [.monocleVendor, key]) == key)
        #expect(try package.check(against: .frame, trusting: [key]) == key)
        let firmware = try #require(package.images.first)
        #expect(firmware.bytes == image)
        #expect(firmware.initPacket.command.firmwareVersion == 9)
        #expect(firmware.version?.description == Fixtures.versionText)
        #expect(throws: DFUError.self) { try package.check(against: .monocle, trusting: [.monocleVendor]) }

        let shown = try await nrfutil("keys", "display", "--key", "pk", "--format", "hex", nrfutil.files.path("key.pem"))
        let hex = key.coordinates.map { String(format: "%02x", $0) }.joined()
        #expect(shown.output.contains(hex), "\(shown.output)")
    }

    @Test func nrfutilAcceptsOurs() async throws {
        let nrfutil = try Nrfutil()
        defer { nrfutil.files.remove() }
        let key = try SigningKey.generate()
        try key.pem.write(toFile: nrfutil.files.path("key.pem"), atomically: true, encoding: .utf8)
        let package = try Fixtures.package(image: image, key: key)
        try Data(package).write(to: URL(fileURLWithPath: nrfutil.files.path("ours.zip")))
        let shown = try await nrfutil("pkg", "display", nrfutil.files.path("ours.zip"))
        #expect(shown.status == 0, "\(shown.output)")
        for text in [
            "Type: application", "op_code: INIT", "signature_type: ECDSA_P256_SHA256", "fw_version: 0x00000007",
            "(52)", "sd_req: 0x124", "app_size: 70000", "hash_type: SHA256", "is_debug: False",
        ] {
            #expect(shown.output.contains(text), "no \(text) in \(shown.output)")
        }

        let verified = try await nrfutil.python(Self.verification, [nrfutil.files.path("ours.zip"), nrfutil.files.path("key.pem")])
        #expect(verified.output.contains("verdict: True"), "\(verified.output)")
        let other = try SigningKey.generate()
        try other.pem.write(toFile: nrfutil.files.path("other.pem"), atomically: true, encoding: .utf8)
        let refused = try await nrfutil.python(Self.verification, [nrfutil.files.path("ours.zip"), nrfutil.files.path("other.pem")])
        #expect(refused.output.contains("verdict: False"), "\(refused.output)")
    }

    /// Nordic's own verification, over the command as Nordic's own code takes it from the package.
    private static let verification = """
        import sys, zipfile
        from nordicsemi.dfu.init_packet_pb import InitPacketPB
        from nordicsemi.dfu.signing import Signing
        packet = InitPacketPB(from_bytes=zipfile.ZipFile(sys.argv[1]).read("application.dat"))
        signature = packet.packet.signed_command.signature
        signing = Signing()
        signing.load_key(sys.argv[2])
        big_endian = signature[31::-1] + signature[63:31:-1]
        print("verdict:", signing.verify(packet.get_init_command_bytes(), big_endian))
        """
}
