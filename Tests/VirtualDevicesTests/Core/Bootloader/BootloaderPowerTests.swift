import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// The power fails at a word of the flash that the bootloader writes.
@Suite struct BootloaderPowerTests {
    private static let key = Result { try TestSigningKey() }
    private static let image = SeededNumbers.bytes(9000, seed: 4)
    private static let old = BootloaderStorage(application: SeededNumbers.bytes(5000, seed: 5), applicationVersion: 3)

    /// Sends the image beside the old one, which it then replaces.
    private func update(_ storage: BootloaderStorage, power: BootloaderPower = BootloaderPower()) throws -> SecureBootloader {
        let key = try Self.key.get()
        var unit = BootloaderUnit(key: key, storage: storage, power: power)
        _ = unit.sendInit(try InitPacketDraft(image: Self.image).signed(by: key))
        _ = unit.sendImage(Self.image)
        unit.wait(.seconds(5))
        return unit.bootloader
    }

    @Test func aCutAtAnyWordLeavesAUnitThatTakesTheUpdate() throws {
        let whole = try update(Self.old)
        #expect(isSame(whole.storage.application, Self.image))
        let words = whole.power.words
        // Each word is sent once and copied once.
        #expect(words > 2 * Self.image.count / 4)
        var left: Set<[UInt8]> = []
        for word in stride(from: 1, through: words, by: TestRange.isFull ? 1 : 53) {
            let cut = try update(Self.old, power: BootloaderPower { $0.contains(word) ? word : nil })
            #expect(cut.power.hasFailed && cut.nextDeadline == nil, "word \(word)")
            left.insert(cut.storage.application)
            let again = try update(cut.storage)
            #expect(isSame(again.storage.application, Self.image), "word \(word)")
        }
        // Also what is neither: it has no valid CRC, and the unit stays in its bootloader.
        #expect(left.isSuperset(of: [Self.old.application, Self.image]))
    }
}
