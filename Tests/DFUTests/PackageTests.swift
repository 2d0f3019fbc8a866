import Bluetooth
import Foundation
import FrameFamily
import MonocleFamily
import Support
import TestSupport
import Testing

@testable import DFU

@Suite struct PackageTests {
    let key: SigningKey
    let image = Fixtures.image(9000)

    init() throws { key = try SigningKey.generate() }

    @Test func opensAndVerifiesWhatWeWrite() throws {
        let package = try DFUPackage(bytes: Fixtures.package(image: image, key: key))
        #expect(package.images.map(\.kind) == [.application])
        let firmware = try #require(package.images.first)
        #expect(firmware.bytes == image)
        #expect(firmware.initPacket.command.firmwareVersion == 7)
        #expect(firmware.initPacket.command.softDevices == [0x0124])
        #expect(firmware.version?.description == Fixtures.versionText)
        let trusted = [TrustedKey.monocleVendor, key.trusted(as: "ours")]
        #expect(try package.check(against: .monocle, trusting: trusted).name == "ours")
    }

    @Test func writingIsDeterministic() throws {
        let builder = InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle)
        let signature = try key.sign(builder.commandBytes())
        let packet = try builder.signed(with: signature)
        let first = try DFUPackageWriter(image: image, initPacket: packet).archive()
        let second = try DFUPackageWriter(image: image, initPacket: builder.signed(with: signature)).archive()
        #expect(first == second)
        #expect(first[10...13].elementsEqual([0, 0, 0x21, 0]), "dated 1980-01-01 00:00")
        #expect(key.trusted(as: "k").verifies(signature, over: try builder.commandBytes()))
    }

    @Test func nothingLargerThanItsLimitIsRead() {
        let bytes = [UInt8](repeating: 0, count: DFUPackage.fileSizeLimit + 100)
        guard case .fileTooLarge? = fault({ _ = try DFUPackage(bytes: bytes) }) else {
            Issue.record("an oversized file was accepted")
            return
        }
    }

    @Test func truncatedPackagesAreRefused() throws {
        let good = try Fixtures.package(image: image, key: key)
        for count in [0, 1, 21, 22, 100, good.count / 2, good.count - 30, good.count - 1] {
            let found = fault { _ = try DFUPackage(bytes: Array(good.prefix(count))) }
            guard case .notAnArchive? = found else {
                Issue.record("\(count) bytes: \(String(describing: found))")
                continue
            }
            #expect(found?.diagnosis.category == .badData)
        }
    }

    @Test func missignedPackagesAreRefused() throws {
        let package = try DFUPackage(bytes: Fixtures.package(image: image, key: key))
        #expect(
            fault { try package.check(against: .monocle, trusting: [.monocleVendor]) }
                == .signatureNotTrusted(keys: ["Brilliant Labs Monocle"]))
        #expect(fault { try package.check(against: .monocle, trusting: []) } == .signatureNotTrusted(keys: []))
        let unsigned = try InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle).unsigned()
        let bare = try DFUPackage(bytes: DFUPackageWriter(image: image, initPacket: unsigned).archive())
        #expect(fault { try bare.check(against: .monocle, trusting: [key.trusted(as: "k")]) } == .unsigned)
    }

    @Test func anotherBuildersSignatureDoesNotTransfer() throws {
        let mine = InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle)
        var other = mine
        other.firmwareVersion = 8
        let packet = try other.signed(with: key.sign(mine.commandBytes()))
        let package = try DFUPackage(bytes: DFUPackageWriter(image: image, initPacket: packet).archive())
        #expect(
            fault { try package.check(against: .monocle, trusting: [key.trusted(as: "k")]) }
                == .signatureNotTrusted(keys: ["k"]))
    }

    @Test func wrongTargetsAreRefused() throws {
        let keys = [key.trusted(as: "k")]
        let package = try DFUPackage(bytes: Fixtures.package(image: image, key: key))
        #expect(
            fault { try package.check(against: .frame, trusting: keys) }
                == .otherProduct(wants: "SoftDevice 0x0124", has: "0x0123"))
        let hardware = try DFUPackage(bytes: Fixtures.package(image: image, key: key) { $0.hardwareVersion = 51 })
        #expect(
            fault { try hardware.check(against: .monocle, trusting: keys) } == .otherProduct(wants: "hardware version 51", has: "52"))
        let large = try DFUPackage(bytes: Fixtures.package(image: Fixtures.image(400_000), key: key))
        #expect(
            fault { try large.check(against: .monocle, trusting: keys) }
                == .imageTooLarge(byteCount: 400_000, capacity: DFUTarget.monocle.imageCapacity))
        let bootloader = try DFUPackage(bytes: Fixtures.package(image: image, key: key) { $0.kind = .bootloader })
        #expect(
            fault { try bootloader.check(against: .monocle, trusting: keys) }
                == .kindsNotAccepted([.bootloader], target: "Monocle"))
    }

    @Test func aChangedImageIsRefused() throws {
        var changed = image
        changed[5000] ^= 1
        let packet = try InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle).signed(by: key)
        func problem(_ image: [UInt8]) throws -> PackageFault? {
            let package = try DFUPackage(bytes: DFUPackageWriter(image: image, initPacket: packet).archive())
            return fault { try package.check(against: .monocle, trusting: [key.trusted(as: "k")]) }
        }
        #expect(try problem(changed) == .hashDiffers)
        #expect(try problem(Array(image.dropLast())) == .imageSizeDiffers(expected: 9000, actual: 8999))
        #expect(try problem([]) == .imageSizeDiffers(expected: 9000, actual: 0))
    }
}

@Suite struct HostileArchiveTests {
    static let manifest = Array(
        #"{"manifest":{"application":{"bin_file":"a.bin","dat_file":"a.dat"}}}"#.utf8)

    let image = Fixtures.image(600)
    let packet: [UInt8]

    init() throws {
        packet = try InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle)
            .signed(with: [UInt8](repeating: 1, count: 64))
    }

    var entries: [RawZip.Entry] {
        [.init("manifest.json", Self.manifest), .init("a.bin", image), .init("a.dat", packet)]
    }

    func problem(_ change: (inout RawZip) -> Void) -> PackageFault? {
        var zip = RawZip(entries: entries)
        change(&zip)
        return fault { _ = try DFUPackage(bytes: zip.bytes) }
    }

    @Test func theTestsOwnZipIsGood() { #expect(problem { _ in } == nil) }

    @Test(arguments: [
        "../a.bin", "/a.bin", "x/a.bin", "..", "a..bin", "C:a.bin", "x\\a.bin", "a\u{0}.bin", "a\u{1B}.bin", "ä", "",
    ])
    func unsafeNamesAreRefused(name: String) {
        guard case .unsafeEntryName? = problem({ $0.entries.append(.init(name, [1])) }) else {
            Issue.record("\(name) was accepted")
            return
        }
    }

    @Test func duplicatesAreRefused() {
        #expect(problem { $0.entries.append(.init("a.bin", [1])) } == .duplicateEntry("a.bin"))
    }

    @Test func tooManyEntriesAreRefused() {
        let many = problem { zip in for index in 0..<40 { zip.entries.append(.init("f\(index)", [])) } }
        #expect(many == .tooManyEntries(count: 43, limit: 16))
        #expect(problem { $0.statedCount = 65_535 } == .tooManyEntries(count: 65_535, limit: 16))
        guard case .notAnArchive? = problem({ $0.statedCount = 2 }) else {
            Issue.record("a hidden entry was accepted")
            return
        }
    }

    @Test func anHonestBombIsRefusedBeforeInflating() {
        let bomb = RawZip.deflatedZeros(matches: 40_000)
        let found = problem { zip in
            zip.entries[1].data = bomb.stream
            zip.entries[1].method = 8
            zip.entries[1].statedSize = UInt32(bomb.length)
        }
        #expect(
            found == .entryTooLarge(name: "a.bin", byteCount: UInt64(bomb.length), limit: DFUPackage.imageSizeLimit))
    }

    @Test(arguments: [600, 599, 1_000_000]) func aLyingBombIsRefused(stated: UInt32) {
        let bomb = RawZip.deflatedZeros(matches: 40_000)
        let found = problem { zip in
            zip.entries[1].data = bomb.stream
            zip.entries[1].method = 8
            zip.entries[1].statedSize = stated
        }
        guard case .entryDamaged(name: "a.bin", _)? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
    }

    @Test func theDeflateStreamOfTheTestsIsValid() {
        let zeros = RawZip.deflatedZeros(matches: 2)
        let plain = [UInt8](repeating: 0, count: zeros.length)
        let found = problem { zip in
            zip.entries[1].data = zeros.stream
            zip.entries[1].method = 8
            zip.entries[1].statedSize = UInt32(zeros.length)
            zip.entries[1].crc = referenceCRC(plain)
        }
        #expect(found == nil)
    }

    @Test func damagedContentIsRefused() {
        guard case .entryDamaged(name: "a.bin", _)? = problem({ $0.entries[1].crc ^= 1 }) else {
            Issue.record("a wrong CRC was accepted")
            return
        }
        guard case .entryDamaged(name: "a.bin", _)? = problem({ $0.entries[1].method = 12 }) else {
            Issue.record("an unusual method was accepted")
            return
        }
    }

    @Test func badManifestsAreRefused() {
        let bad = [
            "", "x", "[]", "{}", #"{"manifest":{}}"#, #"{"manifest":{"application":{}}}"#,
            #"{"manifest":{"application":{"bin_file":1,"dat_file":"a.dat"}}}"#, String(repeating: "[", count: 60_000),
        ]
        for text in bad {
            guard case .manifestInvalid? = problem({ $0.entries[0] = .init("manifest.json", Array(text.utf8)) }) else {
                Issue.record("\(text.prefix(60)) was accepted")
                continue
            }
        }
        guard case .entryTooLarge(name: "manifest.json", _, _)? = problem({
            $0.entries[0] = .init("manifest.json", [UInt8](repeating: 0x20, count: 65_537))
        }) else {
            Issue.record("an oversized manifest was accepted")
            return
        }
    }

    @Test func missingPartsAreNamed() {
        #expect(problem { $0.entries.removeFirst() } == .entryMissing(name: "manifest.json"))
        #expect(problem { $0.entries.remove(at: 1) } == .entryMissing(name: "a.bin"))
        #expect(problem { $0.entries.remove(at: 2) } == .entryMissing(name: "a.dat"))
        let outside = #"{"manifest":{"application":{"bin_file":"../../etc/passwd","dat_file":"a.dat"}}}"#
        #expect(
            problem { $0.entries[0] = .init("manifest.json", Array(outside.utf8)) }
                == .entryMissing(name: "../../etc/passwd"))
    }

    @Test func oversizedAndBrokenInitPacketsAreRefused() {
        let long = [UInt8](repeating: 0, count: 513)
        #expect(problem { $0.entries[2] = .init("a.dat", long) } == .initPacketTooLarge(byteCount: 513, limit: 512))
        for broken in [[], [0xFF], Array(packet.dropLast(5)), packet + packet, [0x0A, 0x00]] {
            let found = problem { $0.entries[2] = .init("a.dat", broken) }
            guard case .initPacketInvalid? = found else {
                Issue.record("\(broken.count) bytes: \(String(describing: found))")
                continue
            }
        }
    }

    @Test func anInitPacketOfAnotherKindIsRefused() throws {
        var builder = InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle)
        builder.kind = .softDevice
        let other = try builder.unsigned()
        guard case .initPacketInvalid? = problem({ $0.entries[2] = .init("a.dat", other) }) else {
            Issue.record("accepted")
            return
        }
    }

    /// Thousands of seeded changes to a good package: none may crash, and one that passes must be the same firmware.
    @Test func mutationsNeverCrashAndNeverPassChanged() throws {
        let key = try SigningKey.generate()
        let good = try Fixtures.package(image: image, key: key)
        let original = try DFUPackage(bytes: good)
        let keys = [key.trusted(as: "k")]
        var generator = SeededNumbers(seed: 2026)
        var refusals = 0
        for round in 0..<4000 {
            let bytes = generator.mutation(of: good)
            do {
                let package = try DFUPackage(bytes: bytes)
                try package.check(against: .monocle, trusting: keys)
                #expect(package.images.map(\.bytes) == original.images.map(\.bytes), "round \(round)")
            } catch let error as DFUError {
                refusals += 1
                #expect(!error.diagnosis.message.isEmpty)
            }
        }
        #expect(refusals > 3000)
    }
}
