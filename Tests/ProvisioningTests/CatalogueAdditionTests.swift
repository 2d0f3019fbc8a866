import Bluetooth
import DFU
import Foundation
import Glibc
import MonocleFamily
import ScriptBundle
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

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? any DiagnosableError)?.diagnosis.code ?? "\(error)"
        }
    }

    private func add(
        _ candidate: AssetCandidate, version: String, isDevelopment: Bool, makesDefault: Bool
    ) async throws -> AssetCatalogue.Addition {
        try await catalogue.add(
            candidate, version: version, isDevelopment: isDevelopment, makesDefault: makesDefault, clock: .continuous)
    }

    private func image(_ seed: UInt64 = 1) -> AssetCandidate {
        AssetCandidate(
            component: .fpga, hardware: "monocle", files: [.init(name: "given.bin", bytes: BitstreamBytes.make(seed: seed))],
            name: "given.bin", families: TestFamilies.all)
    }

    /// A package as the project itself makes it, with a version text in its image.
    private func package(_ text: String = "v24.100.1200") throws -> AssetCandidate {
        let key = try SigningKey.generate()
        let image = SeededNumbers.bytes(9000, seed: 3) + [0] + Array(text.utf8) + [0]
        let packet = try InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle).signed(by: key)
        let bytes = try DFUPackageWriter(image: image, initPacket: packet).archive()
        return AssetCandidate(
            component: .firmware, hardware: "monocle", files: [.init(name: "given.zip", bytes: bytes)],
            key: Array(try key.publicPEM().utf8), name: "given.zip", families: TestFamilies.all)
    }

    @Test func whatIsAddedIsUsed() async throws {
        let candidate = try package()
        let version = try candidate.version(stated: nil)
        #expect(version == "v24.100.1200")
        let outcome = try await add(candidate, version: version, isDevelopment: false, makesDefault: false)
        #expect(outcome == .init(path: folder.path("Firmware/monocle-v24.100.1200.zip"), isNew: true))
        let firmware = try catalogue.firmware(for: "monocle")
        #expect(firmware.files[0].bytes == candidate.bytes && firmware.version == version && firmware.key?.bytes == candidate.key)
        for item in try catalogue.items(of: TestFamilies.all) { try catalogue.check(item, for: TestFamilies.all) }
        #expect(try await add(candidate, version: version, isDevelopment: false, makesDefault: false)
            == .init(path: folder.path("Firmware/monocle-v24.100.1200.zip"), isNew: false))
        #expect(try catalogue.items(of: TestFamilies.all).count == 1)
        #expect(try String(decoding: folder.read("Firmware/manifest.json"), as: UTF8.self).contains(#""note" : "kept""#))
    }

    /// A family that has no bootloader takes no package, and a part that the catalogue does not hold is none.
    @Test func anImageIsForTheFamilyWhoseBootloaderTakesIt() throws {
        let radio = Component(.init("radio", order: -1, stages: [], evidence: .version))
        let wired = Family(
            id: "wired", recognise: { _ in nil },
            provisioning: ProvisioningRules(components: [radio, .firmware], open: { _, _, _ in throw CancellationError() }))
        let given = try AssetCandidate(
            image: package().bytes, name: "given.zip", hardware: nil, key: nil, families: FamilyList([wired, .monocle]))
        #expect(given.component == .firmware && given.hardware == "monocle")
    }

    @Test func twentyAtOnceAreTwenty() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    _ = try await add(
                        image(UInt64(number)), version: "v23.2\(number + 10).0000", isDevelopment: false, makesDefault: false)
                }
            }
            try await group.waitForAll()
        }
        #expect(try catalogue.items(of: TestFamilies.all).count == 20)
    }

    /// A clock that moves with each sleep; `onSleep` gets the time.
    private func clock(_ onSleep: @escaping @Sendable (Duration) throws -> Void = { _ in }) -> SessionClock {
        let time = Guarded()
        return SessionClock(
            now: { time.now.withLock { $0 } },
            sleepUntil: { target in
                try onSleep(target)
                time.now.withLock { $0 = max($0, target) }
            })
    }

    private final class Guarded: Sendable { let now = Mutex(Duration.zero) }

    /// The lock of another process.
    private func locked(_ body: (Int32) async throws -> Void) async throws {
        let descriptor = open(folder.path("FPGA"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(descriptor) }
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        try await body(descriptor)
    }

    private func addImage(_ clock: SessionClock) async throws -> AssetCatalogue.Addition {
        try await catalogue.add(image(), version: "v23.200.0000", isDevelopment: false, makesDefault: false, clock: clock)
    }

    @Test func aLockIsWaitedForOnTheClock() async throws {
        try await locked { descriptor in
            let outcome = try await addImage(clock { if $0 >= .seconds(9) { _ = flock(descriptor, LOCK_UN) } })
            #expect(outcome == .init(path: folder.path("FPGA/monocle-v23.200.0000.bin"), isNew: true))
        }
    }

    @Test func aLockThatIsNeverFreeIsGivenUp() async throws {
        try await locked { _ in
            await #expect(throws: CatalogueError.locked(folder: folder.path("FPGA"))) { _ = try await addImage(clock()) }
        }
    }

    @Test func theWaitForALockIsCancelled() async throws {
        try await locked { _ in
            await #expect(throws: CancellationError.self) {
                _ = try await addImage(clock { if $0 >= .seconds(1) { throw CancellationError() } })
            }
        }
        #expect(try catalogue.items(of: TestFamilies.all).isEmpty)
    }

    @Test func entriesKeepTheirOrderAndTheDefaultIsAChoice() async throws {
        for (seed, version) in [(1, "v23.200.0000"), (2, "v23.100.0000"), (3, "v23.300.0000")] as [(UInt64, String)] {
            _ = try await add(image(seed), version: version, isDevelopment: seed == 3, makesDefault: seed == 2)
        }
        let items = try catalogue.items(of: TestFamilies.all)
        #expect(items.map(\.version) == ["v23.200.0000", "v23.100.0000", "v23.300.0000"])
        #expect(items.map(\.isChosen) == [false, true, false] && items.map(\.isDevelopment) == [false, false, true])
        _ = try await add(image(1), version: "v23.200.0000", isDevelopment: false, makesDefault: true)
        #expect(try catalogue.content(of: .fpga, for: "monocle").version == "v23.200.0000")
    }

    @Test func whatDoesNotMatchIsRefused() async throws {
        let good = try package()
        #expect(await code { _ = try good.version(stated: "v24.100.1201") } == "CAT-0013")
        #expect(await code { _ = try good.version(stated: "24") } == "CAT-0011")
        #expect(await code { _ = try image().version(stated: nil) } == "CAT-0012")
        var unknown = good
        unknown.key = nil
        #expect(await code { _ = try unknown.version(stated: nil) } == "DFU-1022")
        var other = good
        other.hardware = "frame"
        #expect(await code { _ = try other.version(stated: nil) } == "DFU-1018")
        var long = image()
        long.files = [.init(name: "long.bin", bytes: [UInt8](repeating: 0, count: 444_431))]
        #expect(await code { _ = try long.version(stated: "v23.230.0808") } == "FPGA-0001")
        #expect(await code { try AssetCandidate.check([1], sha256: String(repeating: "0", count: 64), name: "x") } == "CAT-0018")
        _ = try await add(image(1), version: "v23.200.0000", isDevelopment: false, makesDefault: false)
        let before = try folder.read("FPGA/manifest.json")
        #expect(
            await code { _ = try await add(image(2), version: "v23.200.0000", isDevelopment: false, makesDefault: false) } == "CAT-0014")
        try folder.write("by hand", to: "FPGA/monocle-v23.201.0000.bin")
        #expect(
            await code { _ = try await add(image(2), version: "v23.201.0000", isDevelopment: false, makesDefault: false) } == "CAT-0015")
        #expect(try folder.read("FPGA/manifest.json") == before)
    }

    @Test func damageIsFound() async throws {
        _ = try await add(image(1), version: "v23.200.0000", isDevelopment: false, makesDefault: false)
        let item = try #require(try catalogue.items(of: TestFamilies.all).first)
        var bytes = try folder.read("FPGA/monocle-v23.200.0000.bin")
        bytes[7] ^= 1
        try folder.write(bytes, to: "FPGA/monocle-v23.200.0000.bin")
        #expect(await code { try catalogue.check(item, for: TestFamilies.all) } == "CAT-0010")
        try FileManager.default.removeItem(atPath: folder.path("FPGA/monocle-v23.200.0000.bin"))
        #expect(await code { try catalogue.check(item, for: TestFamilies.all) } == "CAT-0007")
    }
}
