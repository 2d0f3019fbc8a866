import Foundation
import TestSupport
import Testing
import VirtualDevices

@Suite struct BootloaderUpdateTests {
    let key: TestSigningKey
    let image = SeededNumbers.bytes(10_001, seed: 3)
    static let success: [UInt8] = [0x60, 0x04, 0x01]

    init() throws { key = try TestSigningKey() }

    private func begun(_ change: (inout InitPacketDraft) -> Void = { _ in }) throws -> BootloaderUnit {
        var draft = InitPacketDraft(image: image)
        change(&draft)
        var unit = BootloaderUnit(key: key)
        #expect(unit.sendInit(try draft.signed(by: key)) == Self.success)
        unit.wait(.milliseconds(300))
        return unit
    }

    @Test func wholeUpdate() throws {
        var unit = try begun()
        #expect(unit.sendImage(image) == Self.success)
        #expect(unit.bootloader.storage.applicationIsValid == false, "valid after the reset")
        unit.wait(.seconds(1))
        #expect(isSame(unit.bootloader.storage.application, image))
        #expect(unit.bootloader.storage.applicationVersion == 7)
        #expect(unit.events.suffix(3).map(\.event) == [.disconnected, .storageChanged, .startedApplication])
        #expect(unit.bootloader.hasLeft)
        unit.send([1, 2, 3])
        #expect(unit.bootloader.takeEffects().isEmpty)
    }

    @Test func wrongDigestIsRefusedAndResets() throws {
        var unit = try begun { $0.hash[0] ^= 1 }
        #expect(unit.sendImage(image) == [0x60, 0x04, 0x0B, 0x0C])
        unit.wait(.seconds(1))
        #expect(unit.events.last?.event == .restarted)
        #expect(unit.bootloader.storage.applicationIsValid == false)
        #expect(unit.bootloader.storage.initPacket.isEmpty)
        unit.connect()
        #expect(unit.create(2, 4096) == [0x60, 0x01, 0x08])
    }

    @Test func digestIsOfTheFlashNotOfWhatWasSent() throws {
        // Packets of 242 bytes start off a word boundary: counted in offset and CRC, never stored.
        var unit = try begun()
        _ = unit.create(2, 4096)
        unit.wait(.milliseconds(300))
        unit.stream(image[..<4096], size: 242)
        #expect(unit.ask([0x03]) == [0x60, 0x03, 0x01] + BootloaderUnit.state(image[..<4096]))
        #expect(unit.ask([0x04]) == Self.success)
        #expect(unit.sendImage(image, from: 4096) == [0x60, 0x04, 0x0B, 0x0C])
    }

    @Test func repeatedObjectIsErasedFirst() throws {
        var unit = try begun()
        _ = unit.create(2, 4096)
        unit.wait(.milliseconds(300))
        unit.stream([UInt8](repeating: 0, count: 2000))
        #expect(unit.sendImage(image) == Self.success)
        unit.wait(.seconds(1))
        #expect(isSame(unit.bootloader.storage.application, image))
    }

    @Test func bootValidationBySignature() throws {
        let signature = try key.sign(image)
        var unit = try begun { $0.bootValidation = (3, signature) }
        #expect(unit.sendImage(image) == Self.success)
        var bad = try begun { $0.bootValidation = (3, [UInt8](signature.reversed())) }
        #expect(bad.sendImage(image) == [0x60, 0x04, 0x05])
        bad.wait(.seconds(1))
        #expect(!bad.bootloader.storage.applicationIsValid)
    }

    @Test func progressDiesWithTheLink() throws {
        var unit = try begun()
        _ = unit.sendImage(image, to: 8192)
        unit.bootloader.disconnected(now: unit.now)
        unit.connect()
        #expect(unit.ask([0x06, 1]).suffix(8) == BootloaderUnit.state(unit.bootloader.storage.initPacket)[...])
        #expect(unit.ask([0x04]) == Self.success)
        #expect(unit.ask([0x06, 2]).suffix(8) == BootloaderUnit.state([UInt8]())[...])
        #expect(unit.sendImage(image) == Self.success)
    }

    /// Executing the init packet again writes the settings, in which the progress stands.
    @Test func progressThatWasSavedOutlivesTheLink() throws {
        var unit = try begun()
        _ = unit.sendImage(image, to: 4096)
        _ = unit.ask([0x06, 1])
        #expect(unit.ask([0x04]) == Self.success)
        unit.wait(.milliseconds(250))
        unit.bootloader.disconnected(now: unit.now)
        unit.wait(.seconds(5))
        unit.connect()
        #expect(unit.ask([0x06, 2]).suffix(8) == BootloaderUnit.state(image[..<4096])[...])
        #expect(unit.sendImage(image, from: 4096) == Self.success)
    }

    @Test func powerCutKeepsTheInitPacketOnly() throws {
        var unit = try begun()
        _ = unit.sendImage(image, to: 8192)
        let encoded = try JSONEncoder().encode(unit.bootloader.storage)
        let left = try JSONDecoder().decode(BootloaderStorage.self, from: encoded)
        #expect(isSame(left, unit.bootloader.storage))
        var after = BootloaderUnit(key: key, storage: left)
        #expect(after.ask([0x06, 2]).suffix(8) == BootloaderUnit.state([UInt8]())[...])
        #expect(after.sendImage(image) == Self.success)
        after.wait(.seconds(1))
        #expect(isSame(after.bootloader.storage.application, image))
    }

    @Test func powerCutBeforeTheSettingsAreWrittenLeavesNoApplication() throws {
        var unit = try begun()
        #expect(unit.sendImage(image) == Self.success)
        let after = SecureBootloader(
            configuration: unit.bootloader.configuration, nonvolatile: unit.bootloader.storage, now: .zero)
        #expect(!after.storage.applicationIsValid)
        #expect(!after.storage.initPacket.isEmpty)
    }

    @Test func giveUpDoesNotAllowADowngrade() throws {
        let old = BootloaderStorage(
            application: [UInt8](repeating: 5, count: 60_000), applicationVersion: 7)
        var unit = BootloaderUnit(key: key, storage: old)
        #expect(unit.sendInit(try InitPacketDraft(image: image).signed(by: key)) == Self.success)
        unit.wait(.seconds(1))
        #expect(unit.bootloader.storage.applicationIsValid == false)
        var draft = InitPacketDraft(image: image)
        draft.firmwareVersion = 6
        #expect(unit.sendInit(try draft.signed(by: key)) == [0x60, 0x04, 0x0B, 0x05])
    }
}
