import Bluetooth
import Foundation
import TestSupport
import Testing

@testable import DFU

/// Nordic's own command-line tool, installed from PyPI for the tests.
struct Nrfutil {
    struct Run {
        let status: Int32
        let output: String
    }

    let tool: String
    let folder: URL

    init() throws {
        tool = try TestTools.require(TestTools.nrfutil, "nrfutil")
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func file(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func callAsFunction(_ arguments: String...) async throws -> Run { try await run(tool, arguments) }

    /// Runs a script with nrfutil's own Python, which has its `nordicsemi` package.
    func python(_ script: String, _ arguments: String...) async throws -> Run {
        let python = URL(fileURLWithPath: tool).deletingLastPathComponent().appendingPathComponent("python").path
        return try await run(python, ["-c", script] + arguments)
    }

    private func run(_ executable: String, _ arguments: [String]) async throws -> Run {
        let output = folder.appendingPathComponent("output-\(UUID().uuidString)")
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        defer { try? handle.close() }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        let status = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { done.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                done.resume(throwing: error)
            }
        }
        return try Run(status: status, output: String(decoding: Data(contentsOf: output), as: UTF8.self))
    }

    /// An image as Intel HEX, placed where an application starts on a Monocle.
    static func intelHex(_ bytes: [UInt8], base: Int = 0x26000) -> String {
        func record(_ content: [UInt8]) -> String {
            let sum = content.reduce(UInt8(0), &+)
            return ":" + (content + [0 &- sum]).map { String(format: "%02X", $0) }.joined() + "\n"
        }
        func big(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 16) {
            let address = base + start
            if start == 0 || address & 0xFFFF == 0 { text += record([2, 0, 0, 4] + big(address >> 16)) }
            let line = bytes[start..<min(start + 16, bytes.count)]
            text += record([UInt8(line.count)] + big(address & 0xFFFF) + [0] + line)
        }
        return text + record([0, 0, 0, 1])
    }
}

@Suite(
    .enabled(
        if: TestTools.mayRunNrfutil, "nrfutil is missing: run Tools/setup tests"),
    .timeLimit(.minutes(2)))
struct NrfutilTests {
    let image = Fixtures.image(70_000)

    @Test func opensWhatNrfutilMakes() async throws {
        let nrfutil = try Nrfutil()
        defer { try? FileManager.default.removeItem(at: nrfutil.folder) }
        let keys = try await nrfutil("keys", "generate", nrfutil.file("key.pem"))
        #expect(keys.status == 0, "\(keys.output)")
        try Nrfutil.intelHex(image).write(toFile: nrfutil.file("app.hex"), atomically: true, encoding: .utf8)
        let made = try await nrfutil(
            "pkg", "generate", "--application", nrfutil.file("app.hex"), "--application-version", "9",
            "--hw-version", "52", "--sd-req", "0x0124,0x0123", "--key-file", nrfutil.file("key.pem"),
            "--app-boot-validation", "VALIDATE_GENERATED_SHA256", nrfutil.file("made.zip"))
        #expect(made.status == 0, "\(made.output)")

        let pem = try Array(Data(contentsOf: URL(fileURLWithPath: nrfutil.file("key.pem"))))
        let key = try TrustedKey(name: "nrfutil", pem: pem)
        let package = try DFUPackage(path: nrfutil.file("made.zip"))
        #expect(try package.check(against: .monocle, trusting: [.monocleVendor, key]) == key)
        #expect(try package.check(against: .frame, trusting: [key]) == key)
        let firmware = try #require(package.images.first)
        #expect(firmware.bytes == image)
        #expect(firmware.initPacket.command.firmwareVersion == 9)
        #expect(firmware.version?.description == Fixtures.versionText)
        #expect(throws: DFUError.self) { try package.check(against: .monocle, trusting: [.monocleVendor]) }

        let shown = try await nrfutil("keys", "display", "--key", "pk", "--format", "hex", nrfutil.file("key.pem"))
        let hex = key.coordinates.map { String(format: "%02x", $0) }.joined()
        #expect(shown.output.contains(hex), "\(shown.output)")
    }

    @Test func nrfutilAcceptsOurs() async throws {
        let nrfutil = try Nrfutil()
        defer { try? FileManager.default.removeItem(at: nrfutil.folder) }
        let key = try SigningKey.generate()
        try key.pem.write(toFile: nrfutil.file("key.pem"), atomically: true, encoding: .utf8)
        let package = try Fixtures.package(image: image, key: key)
        try Data(package).write(to: URL(fileURLWithPath: nrfutil.file("ours.zip")))
        let shown = try await nrfutil("pkg", "display", nrfutil.file("ours.zip"))
        #expect(shown.status == 0, "\(shown.output)")
        for text in [
            "Type: application", "op_code: INIT", "signature_type: ECDSA_P256_SHA256", "fw_version: 0x00000007",
            "(52)", "sd_req: 0x124", "app_size: 70000", "hash_type: SHA256", "is_debug: False",
        ] {
            #expect(shown.output.contains(text), "no \(text) in \(shown.output)")
        }

        let verified = try await nrfutil.python(Self.verification, nrfutil.file("ours.zip"), nrfutil.file("key.pem"))
        #expect(verified.output.contains("verdict: True"), "\(verified.output)")
        let other = try SigningKey.generate()
        try other.pem.write(toFile: nrfutil.file("other.pem"), atomically: true, encoding: .utf8)
        let refused = try await nrfutil.python(Self.verification, nrfutil.file("ours.zip"), nrfutil.file("other.pem"))
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
