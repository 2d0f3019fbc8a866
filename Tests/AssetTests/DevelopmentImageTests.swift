import DFU
import FPGA
import Foundation
import FrameFamily
import MonocleFamily
import Provisioning
import ScriptBundle
import Testing
@testable import DevelopmentAssets

struct DevelopmentImageTests {
    private static let families = [Family.monocle, .frame]
    private let catalogue = AssetCatalogue(root: Repository.root.path)

    private func package(of family: Family) throws -> DFUPackage {
        try DFUPackage(bytes: catalogue.firmware(for: family.id.rawValue).files[0].bytes)
    }

    @Test func generatingAgainChangesNoByte() throws {
        try Repository.withCopy { copy in
            let committed = try Repository.assets(under: copy)
            try AssetGenerator(root: copy).run()
            let again = try Repository.assets(under: copy)
            #expect(Set(again.keys) == Set(committed.keys))
            for (path, bytes) in committed { #expect(again[path] == bytes, "\(path) differs") }
        }
    }

    @Test(arguments: families)
    func aMissingPackageIsMadeAgainWithTheSameContentAndAnotherSignature(_ family: Family) throws {
        try Repository.withCopy { copy in
            let file = copy.appendingPathComponent("Firmware/\(try catalogue.firmware(for: family.id.rawValue).files[0].name)")
            let committed = try DFUPackage(bytes: Array(Data(contentsOf: file)))
            try FileManager.default.removeItem(at: file)
            try AssetGenerator(root: copy).run()
            let made = try DFUPackage(bytes: Array(Data(contentsOf: file)))
            #expect(made.images.first?.bytes == committed.images.first?.bytes)
            #expect(made.images.first?.initPacket.signedBytes == committed.images.first?.initPacket.signedBytes)
            #expect(made.images.first?.initPacket.signature != committed.images.first?.initPacket.signature)
            _ = try AssetCatalogue(root: copy.path).firmware(for: family.id.rawValue)
        }
    }

    @Test(arguments: families)
    func aSignatureByAnotherKeyIsReplaced(_ family: Family) throws {
        try Repository.withCopy { copy in
            let other = try SigningKey.generate()
            try Data(other.pem.utf8).write(to: copy.appendingPathComponent("Firmware/development-key.pem"))
            try AssetGenerator(root: copy).run()
            let file = copy.appendingPathComponent("Firmware/\(try catalogue.firmware(for: family.id.rawValue).files[0].name)")
            let made = try DFUPackage(bytes: Array(Data(contentsOf: file)))
            try made.check(against: try #require(family.bootloader).target, trusting: [other.trusted(as: "other")])
        }
    }

    @Test func whatIsNoManifestIsLeftAlone() throws {
        try Repository.withCopy { copy in
            try Data("{}".utf8).write(to: copy.appendingPathComponent("FPGA/manifest.json"))
            #expect(throws: AssetGenerator.Failure.self) { try AssetGenerator(root: copy).run() }
        }
    }

    @Test func entriesOfOthersStayInTheManifest() throws {
        try Repository.withCopy { copy in
            let file = copy.appendingPathComponent("FPGA/manifest.json")
            let digest = String(repeating: "0", count: 64)
            let vendor = #"{"version": "v23.230.0808", "hardware": "monocle", "file": "v.bin", "sha256": "\#(digest)"}"#
            let text = try String(contentsOf: file, encoding: .utf8)
            let edited = text.replacing("\"entries\" : [", with: "\"entries\" : [ \(vendor),")
            #expect(edited != text)
            try edited.write(to: file, atomically: true, encoding: .utf8)
            try AssetGenerator(root: copy).run()
            let versions = try AssetCatalogue(root: copy.path).fpgaVersions(for: "monocle")
            #expect(Set(versions.values) == ["v23.230.0808", "v26.326.0800"])
        }
    }

    /// The numbers are those of the vendors' packages.
    @Test(arguments: [
        (Family.monocle, 214_708, 1, 0x0124),
        (Family.frame, 556_880, 0, 0x0123),
    ])
    func packagePassesEveryCheckWithTheDevelopmentKeyAndOnlyWithIt(
        family: Family, byteCount: Int, number: UInt32, softDevice: UInt32
    ) throws {
        let rules = try #require(family.bootloader)
        let vendor = rules.vendorKey
        let entry = try catalogue.firmware(for: family.id.rawValue)
        let key = try #require(entry.key)
        let trusted = try TrustedKey(name: key.name, pem: key.bytes)
        let package = try DFUPackage(bytes: entry.files[0].bytes)
        #expect(try package.check(against: rules.target, trusting: [vendor, trusted]) == trusted)
        #expect(throws: DFUError.self) { try package.check(against: rules.target, trusting: [vendor]) }
        let image = try #require(package.images.first)
        #expect(image.bytes.count == byteCount)
        #expect(image.version?.description == entry.version)
        #expect(image.initPacket.command.firmwareVersion == number)
        #expect(image.initPacket.command.kind == .application)
        #expect(image.initPacket.command.hardwareVersion == 52)
        #expect(image.initPacket.command.softDevices == [softDevice])
        #expect(entry.isDevelopment)
    }

    @Test func bothHalvesOfTheDevelopmentKeyBelongTogetherAndSayWhatTheyAre() throws {
        let secret = try Repository.bytes("Firmware/development-key.pem")
        let open = try Repository.bytes("Firmware/development-key.pub.pem")
        let pair = try SigningKey(name: "development", pem: secret)
        #expect(try TrustedKey(name: "development", pem: open).coordinates == pair.publicCoordinates)
        for text in [secret, open] { #expect(text.starts(with: Array("# noafw development key".utf8))) }
    }

    @Test func imagesSayThatTheyAreNotForHardware() throws {
        let notice = "noafw development image, not for hardware"
        let firmware = try zip(Self.families, ["v26.320.0900", "v26.326.0900"]).map { family, version in
            (try #require(package(of: family).images.first).bytes, version)
        }
        let fpga = try catalogue.content(of: .fpga, for: "monocle")
        for (bytes, version) in firmware + [(fpga.files[0].bytes, "v26.326.0800")] {
            #expect(bytes.occurrences(of: notice) == 1)
            #expect(DevelopmentMark.isIn(bytes) && DevelopmentMark.text == notice)
            #expect(!DevelopmentMark.isIn(Array(bytes.dropFirst(8192))))
            #expect(bytes.occurrences(of: version) == 1)
        }
        #expect(fpga.isDevelopment)
    }

    /// Both stand-ins are whole bitstreams, for a device that does not exist: a JTAG IDCODE is odd.
    @Test func fpgaImagesAreBitstreamsForNoDevice() throws {
        let entry: [String: Any] = ["hardware": "any", "version": "v26.326.0800", "file": "any.bin", "standIn": ["byteCount": 444_430]]
        let standIn = try #require(try StandIn<ImageMarks>(entry))
        for image in [false, true].map({ standIn.bitstream(isSmall: $0) }) {
            #expect(image.count == 444_430)
            #expect(throws: Never.self) { try FPGAImage(image) }
            #expect(image[31] % 2 == 0 && DevelopmentMark.isIn(image))
        }
    }

    @Test func imagesHaveTheTextureOfRealOnes() throws {
        let fpga = try catalogue.content(of: .fpga, for: "monocle").files[0].bytes
        #expect(fpga.count == 444_430)
        #expect((0.5...0.65).contains(fpga.share { $0 == 0 }))
        #expect(try FPGAImage(fpga).bytes == fpga)
    }

    @Test(arguments: [
        (Family.monocle, [0x00, 0x00, 0x01, 0x20, 0x01, 0x62, 0x02, 0x00] as [UInt8]),
        (Family.frame, [0x00, 0x00, 0x04, 0x20, 0x01, 0x72, 0x02, 0x00]),
    ])
    func firmwareHasTheTextureOfRealOnes(family: Family, beginning: [UInt8]) throws {
        let firmware = try #require(package(of: family).images.first)
        #expect((0.17...0.24).contains(firmware.bytes.share { $0 == 0 || $0 == 0xFF }))
        // A stack inside the RAM, and every vector at the endless loop behind the table.
        #expect(Array(firmware.bytes[..<8]) == beginning)
        #expect(Array(firmware.bytes[0x200..<0x202]) == [0xFE, 0xE7])
    }
}

extension [UInt8] {
    fileprivate func occurrences(of text: String) -> Int {
        let pattern = Array(text.utf8)
        return indices.dropLast(pattern.count - 1).count { self[$0..<$0 + pattern.count].elementsEqual(pattern) }
    }

    fileprivate func share(of condition: (UInt8) -> Bool) -> Double { Double(count(where: condition)) / Double(count) }
}
