import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// Seeded sequences of sense and nonsense. What may never happen: a crash, an offset past the image, a buffer count out
/// of range, or a valid application that nobody signed.
@Suite struct BootloaderFuzzTests {
    /// In each of four shares, which run side by side.
    static let sequences = TestRange.isFull ? 5_000 : 1_000
    private static let noise = SeededNumbers.bytes(10_200, seed: 10)

    private struct Material {
        let key: TestSigningKey
        let image = SeededNumbers.bytes(5000, seed: 8)
        let packets: [[UInt8]]
        let good: [UInt8]

        init() throws {
            key = try TestSigningKey()
            let draft = InitPacketDraft(image: image)
            good = try draft.signed(by: key)
            var wrongDigest = draft
            wrongDigest.hash[3] ^= 8
            var huge = draft
            huge.applicationSize = .max
            packets = [
                good, try wrongDigest.signed(by: key), try huge.signed(by: key), draft.unsigned,
                try draft.signed(by: TestSigningKey()), Array(good.dropLast(9)), [],
            ]
        }
    }

    @Test(arguments: [0xB007, 0xB008, 0xB009, 0xB00A] as [UInt64])
    func sequencesKeepTheInvariants(seed: UInt64) throws {
        let material = try Material()
        var numbers = SeededNumbers(seed: seed)
        var activations = 0
        for sequence in 0..<Self.sequences {
            var unit = Self.freshUnit(material, numbers: &numbers)
            for _ in 0..<Int.random(in: 2...10, using: &numbers) {
                Self.step(&unit, material, &numbers)
                guard let broken = Self.brokenInvariant(unit, material) else { continue }
                Issue.record("seed \(seed), sequence \(sequence): \(broken)")
                return
            }
            if unit.bootloader.storage.applicationVersion == 7 { activations += 1 }
        }
        #expect(activations > Self.sequences / 100, "the sequences reach whole updates too")
    }

    private static func freshUnit(_ material: Material, numbers: inout SeededNumbers) -> BootloaderUnit {
        let old = BootloaderStorage(application: [1, 2, 3])
        return BootloaderUnit(
            key: material.key, storage: Bool.random(using: &numbers) ? old : BootloaderStorage(),
            capacity: Bool.random(using: &numbers) ? 8192 : 20_480
        )
    }

    private static func step(_ unit: inout BootloaderUnit, _ material: Material, _ numbers: inout SeededNumbers) {
        switch Int.random(in: 0..<48, using: &numbers) {
        case 16...42:
            _ = unit.bootloader.writeControlPoint(request(&numbers), now: unit.now)
            unit.send(garbage(260, &numbers))
        case 0...3: _ = unit.bootloader.writeControlPoint(garbage(24, &numbers), now: unit.now)
        case 4: _ = unit.bootloader.writeControlPoint(request(&numbers), now: unit.now)
        case 5: unit.send(garbage(260, &numbers))
        case 6: unit.wait(.milliseconds(Int.random(in: 0...400, using: &numbers)))
        case 7: unit.wait(.seconds(Int.random(in: 0...30, using: &numbers)))
        case 8: unit.bootloader.disconnected(now: unit.now)
        case 9...10: unit.connect()
        case 11:
            powerCycle(&unit)
        case 12: _ = unit.sendInit(material.packets.randomElement(using: &numbers) ?? [])
        case 13: _ = unit.sendInit(mutated(material.good, &numbers))
        case 14: _ = unit.sendImage(Bool.random(using: &numbers) ? material.image : garbage(6000, &numbers))
        default:
            if Bool.random(using: &numbers) { _ = unit.sendInit(material.good) }
            _ = unit.sendImage(material.image)
        }
        unit.collect()
        if unit.bootloader.hasLeft { powerCycle(&unit) }
    }

    private static func powerCycle(_ unit: inout BootloaderUnit) {
        unit.bootloader = SecureBootloader(
            configuration: unit.bootloader.configuration, nonvolatile: unit.bootloader.storage, now: unit.now)
        unit.connect()
    }

    private static func garbage(_ limit: Int, _ numbers: inout SeededNumbers) -> [UInt8] {
        let start = Int.random(in: 0...4096, using: &numbers)
        return Array(noise[start..<start + Int.random(in: 0...limit, using: &numbers)])
    }

    private static func request(_ numbers: inout SeededNumbers) -> [UInt8] {
        let opcode = ([0x01, 0x02, 0x03, 0x04, 0x06, 0x0C] as [UInt8]).randomElement(using: &numbers) ?? 0
        let size = ([0, 1, 512, 904, 4096, 8192, .max] as [UInt32]).randomElement(using: &numbers) ?? 0
        return [opcode, UInt8.random(in: 0...3, using: &numbers)] + BootloaderUnit.little(size, 4)
    }

    private static func mutated(_ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
        var copy = bytes
        for _ in 0..<Int.random(in: 1...3, using: &numbers) {
            copy[Int.random(in: copy.indices, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
        }
        return copy
    }

    private static func brokenInvariant(_ unit: BootloaderUnit, _ material: Material) -> String? {
        let bootloader = unit.bootloader
        let (progress, memory) = (bootloader.settings.progress, bootloader.memory)
        if memory.isAccepted, progress.imageOffset > memory.imageSize {
            return "offset \(progress.imageOffset) past the image of \(memory.imageSize)"
        }
        if progress.executedOffset > progress.imageOffset { return "executed more than was received" }
        if progress.commandOffset > progress.commandSize { return "command past its object" }
        if !(0...17).contains(memory.buffersInUse) { return "\(memory.buffersInUse) buffers" }
        if bootloader.flash.operations.count > 16 { return "\(bootloader.flash.operations.count) flash operations" }
        if bootloader.storage.flash.count > bootloader.configuration.applicationCapacity { return "flash overrun" }
        if let deadline = bootloader.nextDeadline, deadline <= unit.now { return "a deadline that has passed" }
        if unit.notifications.contains(where: { $0.first != 0x60 || $0.count > 15 }) { return "a strange notification" }
        let storage = bootloader.storage
        guard storage.applicationIsValid else { return nil }
        let isSigned = storage.application == material.image && storage.applicationVersion == 7
        let isOld = storage.application == [1, 2, 3] && storage.applicationVersion == 0
        return isSigned || isOld ? nil : "a valid application that nobody signed"
    }
}
