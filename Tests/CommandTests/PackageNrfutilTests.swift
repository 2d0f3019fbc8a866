import DFU
import Foundation
import TestSupport
import Testing

@testable import noafw

/// `noafw package` against Nordic's own tool: the same options on the same files have to give the same bytes.
@Suite(.enabled(if: TestTools.mayRunNrfutil, "nrfutil is missing: run Tools/setup tests"), .timeLimit(.minutes(3)))
struct PackageNrfutilTests {
    private struct Kind {
        var name: String
        var options: [String]
        /// nrfutil signs boot validation with a random number, too.
        var isRandom = false
    }

    private static let application = ["--application", "app.hex", "--application-version", "70000"]
    private static let softDevice = ["--softdevice", "sd.hex"]
    private static let bootloader = ["--bootloader", "bl.hex", "--bootloader-version", "3"]
    private static let target = ["--hw-version", "52", "--sd-req", "0x0123"]

    private static let kinds = [
        Kind(name: "application", options: application + target),
        Kind(name: "raw", options: ["--application", "app.bin", "--application-version-string", "2.7.31"] + target),
        Kind(name: "two-softdevices", options: application + ["--hw-version", "52", "--sd-req", "0x0123,0x0124"]),
        Kind(name: "unchecked", options: application + target + ["--app-boot-validation", "NO_VALIDATION"]),
        Kind(name: "sha256", options: application + target + ["--app-boot-validation", "VALIDATE_GENERATED_SHA256"]),
        Kind(name: "external", options: application + target + ["--external-app"]),
        Kind(name: "softdevice", options: softDevice + target + ["--sd-boot-validation", "VALIDATE_GENERATED_SHA256"]),
        Kind(name: "bootloader", options: bootloader + target),
        Kind(name: "system", options: softDevice + bootloader + target),
        Kind(name: "all", options: application + softDevice + bootloader + target + ["--sd-id", "0x0124"]),
        Kind(name: "both", options: application + softDevice + target + ["--sd-id", "0x0124"]),
        Kind(name: "debug", options: application + target + ["--debug-mode"]),
        Kind(
            name: "ecdsa", options: application + softDevice + bootloader + target + ["--sd-id", "0x0124"]
                + ["--app-boot-validation", "VALIDATE_ECDSA_P256_SHA256", "--sd-boot-validation", "VALIDATE_ECDSA_P256_SHA256"],
            isRandom: true),
    ]

    @Test func bothToolsMakeTheSamePackageOfEveryKind() async throws {
        let nrfutil = try Nrfutil()
        let bench = PackageBench(files: nrfutil.files)
        defer { bench.remove() }
        try Self.writeFirmware(to: bench.files)
        let key = try await bench.key()

        var theirs: [[String]] = []
        for kind in Self.kinds {
            theirs.append(["pkg", "generate"] + kind.options + ["--key-file", key, "theirs-\(kind.name).zip"])
            if !kind.isRandom { theirs.append(["pkg", "generate"] + kind.options + ["theirs-unsigned-\(kind.name).zip"]) }
        }
        for made in try await Self.nrfutil(nrfutil, theirs) { #expect(made.status == 0, "\(made.output)") }
        for kind in Self.kinds {
            let options = kind.options.map { ["app.hex", "app.bin", "sd.hex", "bl.hex"].contains($0) ? bench.files.path($0) : $0 }
            let signed = await bench.run(["create"] + options + ["--key-file", key, "-o", bench.files.path("ours-\(kind.name).zip")])
            #expect(signed.status == 0, "\(kind.name): \(signed.diagnostics)")
            if !kind.isRandom {
                let bare = await bench.run(["create"] + options + ["--unsigned", "-o", bench.files.path("ours-unsigned-\(kind.name).zip")])
                #expect(bare.status == 0, "\(kind.name): \(bare.diagnostics)")
            }
            try compare(kind, in: bench.files)
            for tool in ["ours", "theirs"] {
                let proof = await bench.run(["verify", bench.files.path("\(tool)-\(kind.name).zip"), "--key", key])
                #expect(proof.status == 0, "\(tool) \(kind.name): \(proof.diagnostics)")
            }
        }
        try await nordicAcceptsOurs(nrfutil, key: key)
    }

    private func compare(_ kind: Kind, in files: ToolFolder) throws {
        let ours = try package(at: files.path("ours-\(kind.name).zip")).images
        let theirs = try package(at: files.path("theirs-\(kind.name).zip")).images
        #expect(ours.map(\.kind) == theirs.map(\.kind), "\(kind.name)")
        #expect(ours.map(\.bytes) == theirs.map(\.bytes), "\(kind.name)")
        guard !kind.isRandom else { return }
        #expect(ours.map(\.initPacket.signedBytes) == theirs.map(\.initPacket.signedBytes), "\(kind.name)")
        let ourUnsigned = try package(at: files.path("ours-unsigned-\(kind.name).zip")).images
        let theirUnsigned = try package(at: files.path("theirs-unsigned-\(kind.name).zip")).images
        #expect(ourUnsigned.map(\.initPacket.bytes) == theirUnsigned.map(\.initPacket.bytes), "\(kind.name)")
        #expect(ourUnsigned.map(\.bytes) == ours.map(\.bytes), "\(kind.name)")
    }

    /// Nordic's display unpacks a package with `nordicsemi.dfu.package`; what it shows of both may differ in names and
    /// random numbers alone.
    private func nordicAcceptsOurs(_ nrfutil: Nrfutil, key: String) async throws {
        let names = Self.kinds.flatMap { ["ours-\($0.name).zip", "theirs-\($0.name).zip"] }
        let shown = try await Self.nrfutil(nrfutil, names.map { ["pkg", "display", $0] })
        #expect(shown.count == names.count)
        for (kind, pair) in zip(Self.kinds, stride(from: 0, to: shown.count, by: 2)) {
            let (ours, theirs) = (shown[pair], shown[pair + 1])
            #expect(ours.status == 0 && ours.output.contains("Image #0"), "\(kind.name): \(ours.output)")
            #expect(Self.comparable(ours.output) == Self.comparable(theirs.output), "\(kind.name)")
        }
        let verified = try await nrfutil.python(Self.verification, [key] + Self.kinds.map { "ours-\($0.name).zip" })
        let count = try Self.kinds.reduce(0) { try $0 + package(at: nrfutil.files.path("ours-\($1.name).zip")).images.count }
        #expect(verified.output.split(separator: "\n").map(String.init) == Array(repeating: "True", count: count), "\(verified.output)")
    }

    private static func comparable(_ display: String) -> [Substring] {
        display.split(separator: "\n").filter { line in
            !["DFU Package:", "Image file:", "Init packet file:", "signature (little", "boot_validation_signature"].contains {
                line.contains($0)
            }
        }
    }

    @Test func bothToolsShowAKeyTheSameWay() async throws {
        let nrfutil = try Nrfutil()
        let bench = PackageBench(files: nrfutil.files)
        defer { bench.remove() }
        let theirs = bench.files.path("theirs.pem")
        #expect(try await nrfutil("keys", "generate", theirs).status == 0)
        for key in [theirs, try await bench.key()] {
            let formats = ["hex", "code", "pem"]
            let shown = try await Self.nrfutil(nrfutil, formats.map { ["keys", "display", "--key", "pk", "--format", $0, key] })
            for (format, shown) in zip(formats, shown) {
                let ours = await bench.run(["key", "show", key, "--format", format])
                #expect(ours.status == 0 && shown.status == 0)
                // Theirs stands between a title or a date, and its lines break elsewhere.
                let start = format == "code" ? ours.output.range(of: "__ALIGN")?.lowerBound : ours.output.startIndex
                let essence = ours.output[try #require(start)...]
                #expect(Self.unbroken(shown.output).contains(Self.unbroken(essence)), "\(shown.output)")
            }
        }
    }

    private static func unbroken(_ text: some StringProtocol) -> String { String(text.filter { !$0.isNewline }) }

    private static func writeFirmware(to files: ToolFolder) throws {
        let mbr = (address: 0, bytes: PackageBench.image(0x100, seed: 5))
        let uicr = (address: 0x1000_1014, bytes: [UInt8]([0, 0x50, 0x0F, 0]))
        let softDevice = (address: 0x1000, bytes: PackageBench.image(5001, seed: 2))
        let bootloader = (address: 0xF5000, bytes: PackageBench.image(3000, seed: 3))
        let application = [(address: 0x27000, bytes: PackageBench.image(9001)), (address: 0x2A000, bytes: [UInt8]([1, 2, 3]))]
        try files.write(IntelHexText.of([mbr, softDevice]).utf8, to: "sd.hex")
        try files.write(IntelHexText.of([bootloader, uicr]).utf8, to: "bl.hex")
        try files.write(IntelHexText.of(application).utf8, to: "app.hex")
        try files.write(PackageBench.image(9003), to: "app.bin")
    }

    private struct Answer: Decodable {
        var status: Int
        var output: String
    }

    /// Many commands of nrfutil's command line in one process, which takes a second to start.
    private static func nrfutil(_ nrfutil: Nrfutil, _ commands: [[String]]) async throws -> [Answer] {
        let script = """
            import json, sys
            from click.testing import CliRunner
            from nordicsemi.__main__ import cli
            answers = [CliRunner().invoke(cli, command) for command in json.loads(sys.argv[1])]
            open("answers.json", "w").write(json.dumps([{"status": a.exit_code, "output": a.output} for a in answers]))
            """
        let run = try await nrfutil.python(script, [String(decoding: JSONEncoder().encode(commands), as: UTF8.self)])
        try #require(run.status == 0, "\(run.output)")
        return try JSONDecoder().decode([Answer].self, from: Data(nrfutil.files.read("answers.json")))
    }

    /// Nordic's own verification over the command as Nordic's own code takes it from each package.
    private static let verification = """
        import json, sys, zipfile
        from nordicsemi.dfu.init_packet_pb import InitPacketPB
        from nordicsemi.dfu.signing import Signing
        signing = Signing()
        signing.load_key(sys.argv[1])
        for name in sys.argv[2:]:
            archive = zipfile.ZipFile(name)
            for files in json.loads(archive.read("manifest.json"))["manifest"].values():
                packet = InitPacketPB(from_bytes=archive.read(files["dat_file"]))
                signature = packet.packet.signed_command.signature
                big_endian = signature[31::-1] + signature[63:31:-1]
                print(signing.verify(packet.get_init_command_bytes(), big_endian))
        """
}

/// Signatures and keys against OpenSSL's command line.
@Suite struct PackageOpenSSLTests {
    private static let openssl = "/usr/bin/openssl"

    @Test func opensslVerifiesOurSignatures() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let made = try await bench.package(["--key-file", try await bench.key(), "--app-boot-validation", "ecdsa"])
        let pem = await bench.run(["key", "show", bench.files.path("key.pem"), "--format", "pem"])
        try bench.files.write(pem.output.utf8, to: "public.pem")
        let image = try package(at: made.path).images[0]
        let packet = image.initPacket
        try await expectVerified(try #require(packet.signature).bytes, over: packet.signedBytes, in: bench.files)
        try await expectVerified(packet.command.bootValidations[0].bytes, over: image.bytes, in: bench.files)

        var changed = packet.signedBytes
        changed[3] ^= 1
        try bench.files.write(changed, to: "message")
        #expect(try await bench.files.run(Self.openssl, Self.digest).status == 1)
    }

    private static let digest = ["dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", "message"]

    private func expectVerified(_ signature: [UInt8], over message: [UInt8], in files: ToolFolder) async throws {
        try files.write(Self.der(signature), to: "signature")
        try files.write(message, to: "message")
        let digest = try await files.run(Self.openssl, Self.digest)
        #expect(digest.status == 0 && digest.output.contains("Verified OK"), "\(digest.output)")
        let raw = try await files.run(
            Self.openssl,
            [
                "pkeyutl", "-verify", "-rawin", "-digest", "sha256", "-pubin", "-inkey", "public.pem", "-sigfile", "signature", "-in",
                "message"
            ])
        #expect(raw.status == 0 && raw.output.contains("Verified Successfully"), "\(raw.output)")
    }

    @Test func opensslShowsTheSamePublicKey() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let key = try await bench.key()
        let theirs = try await bench.files.run(Self.openssl, ["pkey", "-in", key, "-pubout"])
        #expect(theirs.status == 0)
        #expect(await bench.run(["key", "show", key, "--format", "pem"]).output == theirs.output)
        let made = bench.files.path("openssl.pem")
        #expect(
            try await bench.files.run(Self.openssl, ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", made])
                .status == 0)
        let package = try await bench.package(["--key-file", made])
        #expect(await bench.run(["verify", package.path, "--key", made]).status == 0)
    }

    /// r‖s, each byte-reversed, as the DER that OpenSSL reads (RFC 3279).
    private static func der(_ signature: [UInt8]) -> [UInt8] {
        let numbers = [signature.prefix(32), signature.suffix(32)].flatMap { half -> [UInt8] in
            let digits = Array(half.reversed().drop { $0 == 0 })
            let number = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits
            return [2, UInt8(number.count)] + number
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }
}

private func package(at path: String) throws -> DFUPackage { try DFUPackage(bytes: Array(Data(contentsOf: URL(fileURLWithPath: path)))) }
