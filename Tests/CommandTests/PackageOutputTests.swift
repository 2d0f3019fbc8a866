import DFU
import Foundation
import FrameFamily
import MonocleFamily
import TestSupport
import Testing

@testable import noafw

@Suite struct PackageOutputTests {
    @Test func whatIsMadeIsShown() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let made = try await bench.package(["--unsigned"])
        #expect(made.run.diagnostics == """
            note: \(bench.files.path("app.hex")): left out 4 bytes below 0x1000 (MBR) or from 0x10000000 on (UICR)
            note: the package is not signed; the glasses' bootloaders refuse it

            """)
        let expected = """
            \(made.path): 1 image, 9,532 bytes
            sha256 ARCHIVE

            application
              size          9,000 bytes
              version text  v26.123.0415
              version       12
              hardware      52
              SoftDevices   0x0124 (S132 7.3.0)
              boot check    crc
              debug         no
              hash          SHA-256 IMAGE, matches
              signature     none

            """
        let known = Digests(archive: try bench.files.read("made.zip"), image: PackageBench.image(9000))
        #expect(made.run.output == known.put(into: expected))
        let shown = await bench.run(["inspect", made.path])
        #expect(shown.status == 0 && shown.output == made.run.output && shown.diagnostics == "")
    }

    @Test func jsonIsStable() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let key = try await bench.key()
        let made = try await bench.package(["--key-file", key, "--app-boot-validation", "ecdsa", "--json"])
        let known = Digests(archive: try bench.files.read("made.zip"), image: PackageBench.image(9000))
        func expected(_ verdict: String) -> String {
            known.put(into: """
                {"schema":"noafw.package/1","file":"\(made.path)","bytes":9668,"sha256":"ARCHIVE","verdict":\(verdict),\
                "images":[{"kind":"application","bytes":9000,"version":"v26.123.0415","versions":["v26.123.0415"],\
                "firmware_version":12,"hardware_version":52,"softdevices":["0x0124"],"softdevice_bytes":0,\
                "bootloader_bytes":0,"application_bytes":9000,"debug":false,"boot_validation":["ecdsa"],\
                "hash":{"type":"sha256","expected":"IMAGE","actual":"IMAGE","match":true},\
                "signature":{"type":"ECDSA P-256 SHA-256","verified":true,"key":"\(key)","proves":"origin"}}],"error":null}

                """)
        }
        #expect(made.run.output == expected("\"pass\""))
        #expect(await bench.run(["inspect", made.path, "--key", key, "--json"]).output == expected("null"))
        #expect(await bench.run(["verify", made.path, "--key", key, "--json"]).output == expected("\"pass\""))
    }

    @Test func everyImageOfAPackageIsShown() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let softDevice = try bench.files.write(PackageBench.image(5000, seed: 2), to: "sd.bin")
        let bootloader = try bench.files.write([UInt8](repeating: 7, count: 3000), to: "bl.bin")
        let made = try await bench.package([
            "--softdevice", softDevice, "--bootloader", bootloader, "--bootloader-version", "0x10", "--sd-id", "0x0123",
            "--debug-mode", "--sd-boot-validation", "none", "--unsigned",
        ])
        let lines = made.run.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.contains(": 2 images, ") == true)
        #expect(lines.filter { !$0.contains("hash") } [2...] == [
            "softdevice_bootloader",
            "  size          8,000 bytes: SoftDevice 5,000, bootloader 3,000",
            "  version text  v26.123.0415",
            "  version       16",
            "  hardware      52",
            "  SoftDevices   0x0124 (S132 7.3.0), 0x0123 (S140 7.3.0)",
            "  boot check    none, crc",
            "  debug         yes: version checks may be skipped",
            "  signature     none",
            "application",
            "  size          9,000 bytes",
            "  version text  v26.123.0415",
            "  version       12",
            "  hardware      52",
            "  SoftDevices   0x0123 (S140 7.3.0)",
            "  boot check    crc",
            "  debug         yes: version checks may be skipped",
            "  signature     none",
        ])
    }

    @Test func manyVersionTextsAreCounted() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let texts = (1...9).map { "v26.00\($0).0000" }.joined(separator: " ")
        let image = try bench.files.write(texts.utf8, to: "app.bin")
        let made = await bench.run([
            "create", "--family", "frame", "--application", image, "--application-version-string", "1.0.0", "--unsigned",
            "-o", bench.files.path("made.zip"),
        ])
        #expect(made.output.contains("version text  v26.001.0000, v26.002.0000, v26.003.0000 and 6 more\n"))
    }

    @Test func verifyProvesOrSaysWhyNot() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let made = try await bench.package(["--key-file", try await bench.key()])
        let proved = await bench.run(["verify", made.path, "--key", bench.files.path("key.pem")])
        #expect(proved.status == 0 && proved.output.hasSuffix("\nPASS  sizes, hash and signature are verified\n"))
        let foreign = await bench.run(["verify", made.path, "--key", try await bench.key("other.pem")])
        #expect(foreign.status == 65 && foreign.output.hasSuffix("\nFAIL  the package is not verified\n"))
        #expect(foreign.diagnostics.hasPrefix("error DFU-1022: "))
        #expect(await bench.run(["verify", made.path]).status == 65, "the vendor has not signed it")
        let unsigned = try await bench.package(["--unsigned"], named: "unsigned.zip")
        let refused = await bench.run(["verify", unsigned.path, "--json"])
        #expect(refused.status == 65 && refused.output.contains(#""verdict":"fail""#) && refused.output.contains(#""code":"DFU-1020""#))
    }

    /// The image in a package is changed, and the archive's own checksum made to fit.
    @Test func aChangedImageIsShownAndNotProved() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let key = try await bench.key()
        let made = try await bench.package(["--key-file", key])
        let firmware = try DFUPackage(bytes: Array(Data(contentsOf: URL(fileURLWithPath: made.path)))).images[0]
        var image = firmware.bytes
        image[5000] ^= 1
        let changed = try DFUPackageWriter(image: image, initPacket: firmware.initPacket.bytes).archive()
        let path = try bench.files.write(changed, to: "changed.zip")
        let shown = await bench.run(["inspect", path, "--key", key])
        #expect(shown.status == 0 && shown.output.contains("hash          DIFFERS: "))
        let refused = await bench.run(["verify", path, "--key", key])
        #expect(refused.status == 65 && refused.diagnostics.hasPrefix("error DFU-1016: "))
    }

    @Test func theVendorsSignatureIsNamedForWhatItIs() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let published = try bench.files.write(TrustedKey.monocleVendor.pem().utf8, to: "vendor.pem")
        let report = try PackageReport(file: "a\u{1B}.zip", bytes: try packageOfTheVendor(), keys: [
            try PackageKeyFile.trusted(NamedPath(published, in: "/"))
        ])
        #expect(report.images[0].signer == nil)
        #expect(report.lines(style: TextStyle(isColoured: false))[0].hasPrefix("a\\u{1b}.zip: "))
        var image = report.images[0]
        image.signer = try PackageKeyFile.trusted(NamedPath(published, in: "/"))
        image.distrust = nil
        var claimed = report
        claimed.images = [image]
        let lines = claimed.lines(style: TextStyle(isColoured: false))
        #expect(lines.last?.hasSuffix("vendor.pem (integrity, not origin: anybody can sign with it)") == true)
        #expect(JSONWriter.text(PackageDocument(claimed, verdict: "pass")).contains(#""proves":"integrity""#))
    }

    @Test func theVendorsKeysProveNoOrigin() throws {
        let again = try TrustedKey(name: "again", pem: Array(TrustedKey.frameVendor.pem().utf8))
        #expect(!again.provesOrigin && !TrustedKey.monocleVendor.provesOrigin)
        #expect(try SigningKey.generate().trusted(as: "own").provesOrigin)
    }

    /// Nobody here has the vendor's private key: the signature is none.
    private func packageOfTheVendor() throws -> [UInt8] {
        let builder = InitPacketBuilder(image: PackageBench.image(200), firmwareVersion: 1, target: .monocle)
        let packet = try builder.signed(with: [UInt8](repeating: 1, count: 64))
        return try DFUPackageWriter(image: builder.image, initPacket: packet).archive()
    }
}

/// Digests that a test computes from the bytes itself.
private struct Digests {
    var archive: [UInt8]
    var image: [UInt8]

    func put(into text: String) -> String {
        text.replacing("ARCHIVE", with: Self.sha256(archive)).replacing("IMAGE", with: Self.sha256(image))
    }

    private static func sha256(_ bytes: [UInt8]) -> String {
        let (input, output) = (Pipe(), Pipe())
        let program = URL(fileURLWithPath: "/usr/bin/sha256sum")
        guard let process = try? TestProcess(program, input: .pipe(input), output: .pipe(output)) else { return "sha256sum is missing" }
        try? input.fileHandleForWriting.write(contentsOf: Data(bytes))
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile().prefix(64), as: UTF8.self)
    }
}
