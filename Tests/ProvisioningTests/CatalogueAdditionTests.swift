import Bluetooth
import DFU
import Foundation
import Support
import Synchronization
import TestSupport
import Testing

@testable import Provisioning

@Suite struct CatalogueAdditionTests {
    private let folder: TemporaryFolder
    private var catalogue: AssetCatalogue { AssetCatalogue(root: folder.path) }

    init() throws {
        folder = try TemporaryFolder()
        for name in ["Firmware", "FPGA", "Scripts/monocle"] {
            try folder.write(#"{"note": "kept", "entries": []}"#, to: "\(name)/manifest.json")
        }
    }

    private func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? any DiagnosableError)?.diagnosis.code ?? "\(error)"
        }
    }

    private func image(_ seed: UInt64 = 1) -> AssetCandidate {
        AssetCandidate(part: .fpga, hardware: "monocle", bytes: BitstreamBytes.make(seed: seed), name: "given.bin")
    }

    /// A package as the project itself makes it, with a version text in its image.
    private func package(_ text: String = "v24.100.1200") throws -> AssetCandidate {
        let key = try SigningKey.generate()
        let image = SeededNumbers.bytes(9000, seed: 3) + [0] + Array(text.utf8) + [0]
        let packet = try InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle).signed(by: key)
        let bytes = try DFUPackageWriter(image: image, initPacket: packet).archive()
        return AssetCandidate(
            part: .firmware, hardware: "monocle", bytes: bytes, key: Array(try key.publicPEM().utf8), name: "given.zip")
    }

    @Test func whatIsAddedIsUsed() throws {
        let candidate = try package()
        let version = try candidate.version(stated: nil)
        #expect(version == "v24.100.1200")
        let outcome = try catalogue.add(candidate, version: version, isDevelopment: false, makesDefault: false)
        #expect(outcome == .added(path: folder.path("Firmware/monocle-v24.100.1200.zip")))
        let firmware = try catalogue.firmware(for: "monocle")
        #expect(firmware.file.bytes == candidate.bytes && firmware.version == version && firmware.key?.bytes == candidate.key)
        for item in try catalogue.items() { try catalogue.check(item) }
        #expect(try catalogue.add(candidate, version: version, isDevelopment: false, makesDefault: false)
            == .present(path: folder.path("Firmware/monocle-v24.100.1200.zip")))
        #expect(try catalogue.items().count == 1)
        #expect(try String(decoding: folder.read("Firmware/manifest.json"), as: UTF8.self).contains(#""note" : "kept""#))
    }

    @Test func twentyAtOnceAreTwenty() throws {
        let catalogue = catalogue
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 20) { number in
            do {
                _ = try catalogue.add(
                    image(UInt64(number)), version: "v23.2\(number + 10).0000", isDevelopment: false, makesDefault: false)
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try catalogue.items().count == 20)
    }

    @Test func entriesKeepTheirOrderAndTheDefaultIsAChoice() throws {
        for (seed, version) in [(1, "v23.200.0000"), (2, "v23.100.0000"), (3, "v23.300.0000")] as [(UInt64, String)] {
            _ = try catalogue.add(image(seed), version: version, isDevelopment: seed == 3, makesDefault: seed == 2)
        }
        let items = try catalogue.items()
        #expect(items.map(\.version) == ["v23.200.0000", "v23.100.0000", "v23.300.0000"])
        #expect(items.map(\.isChosen) == [false, true, false] && items.map(\.isDevelopment) == [false, false, true])
        _ = try catalogue.add(image(1), version: "v23.200.0000", isDevelopment: false, makesDefault: true)
        #expect(try catalogue.fpga(for: "monocle").version == "v23.200.0000")
    }

    @Test func whatDoesNotMatchIsRefused() throws {
        let good = try package()
        #expect(code { _ = try good.version(stated: "v24.100.1201") } == "CAT-0013")
        #expect(code { _ = try good.version(stated: "24") } == "CAT-0011")
        #expect(code { _ = try image().version(stated: nil) } == "CAT-0012")
        var unknown = good
        unknown.key = nil
        #expect(code { _ = try unknown.version(stated: nil) } == "DFU-1022")
        var other = good
        other.hardware = "frame"
        #expect(code { _ = try other.version(stated: nil) } == "DFU-1018")
        var long = image()
        long.bytes = [UInt8](repeating: 0, count: 444_431)
        #expect(code { _ = try long.version(stated: "v23.230.0808") } == "FPGA-0001")
        #expect(code { try AssetCandidate.check([1], sha256: String(repeating: "0", count: 64), name: "x") } == "CAT-0018")
        _ = try catalogue.add(image(1), version: "v23.200.0000", isDevelopment: false, makesDefault: false)
        let before = try folder.read("FPGA/manifest.json")
        #expect(code { _ = try catalogue.add(image(2), version: "v23.200.0000", isDevelopment: false, makesDefault: false) } == "CAT-0014")
        try folder.write("by hand", to: "FPGA/monocle-v23.201.0000.bin")
        #expect(code { _ = try catalogue.add(image(2), version: "v23.201.0000", isDevelopment: false, makesDefault: false) } == "CAT-0015")
        #expect(try folder.read("FPGA/manifest.json") == before)
    }

    @Test func damageIsFound() throws {
        _ = try catalogue.add(image(1), version: "v23.200.0000", isDevelopment: false, makesDefault: false)
        let item = try #require(try catalogue.items().first)
        var bytes = try folder.read("FPGA/monocle-v23.200.0000.bin")
        bytes[7] ^= 1
        try folder.write(bytes, to: "FPGA/monocle-v23.200.0000.bin")
        #expect(code { try catalogue.check(item) } == "CAT-0010")
        try FileManager.default.removeItem(atPath: folder.path("FPGA/monocle-v23.200.0000.bin"))
        #expect(code { try catalogue.check(item) } == "CAT-0007")
    }
}
