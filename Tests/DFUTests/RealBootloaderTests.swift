import MonocleFamily
import TestSupport
import Testing
import VirtualDevices

@testable import DFU

/// The client against the virtual bootloader, which does what the real one was recorded to do.
@Suite struct RealBootloaderTests {
    static let key = try? SigningKey.generate()

    static func firmware(_ count: Int) throws -> (FirmwareImage, SigningKey) {
        let key = try #require(key)
        let image = Fixtures.image(count)
        let packet = try InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle).signed(by: key)
        return (FirmwareImage(kind: .application, bytes: image, initPacket: try InitPacket(parsing: packet)), key)
    }

    struct Conditions: Sendable, CustomTestStringConvertible {
        var mtu: Int
        /// In milliseconds.
        var packetTime: Double
        var latency: Double
        var flashSpeed: Double

        var testDescription: String { "MTU \(mtu), \(packetTime) ms a packet, \(latency) ms late, flash \(flashSpeed)" }

        var air: TransferRig.Air {
            TransferRig.Air(
                mtu: mtu, packetTime: .milliseconds(packetTime), notificationTime: .milliseconds(latency))
        }

        static let all = [23, 64, 100, 185, 247].flatMap { mtu in
            [0, 1.25, 7.5, 15].flatMap { packetTime in
                [1, 0.5].flatMap { speed in
                    [0.0, 11].map { Conditions(mtu: mtu, packetTime: packetTime, latency: $0, flashSpeed: speed) }
                }
            }
        }
    }

    /// The bytes of the released firmware, or a tenth of it.
    @Test(arguments: Conditions.all) func sendsLittleTwiceWithoutLoss(conditions: Conditions) throws {
        let (image, key) = try Self.firmware(TestRange.isFull ? 214_708 : 24_576)
        var rig = TransferRig(image, signedBy: key, air: conditions.air, flashSpeed: conditions.flashSpeed)
        let outcome = rig.run()
        let ratio = Double(outcome.byteCount) / Double(image.bytes.count)
        print("matrix \(conditions.testDescription): \(outcome.seconds) s, \(ratio)")
        #expect(outcome.isUpdated && outcome.links == 1, "\(outcome)")
        #expect(ratio <= 1.15)
    }

    /// One of 250 packets and notifications lost, the released firmware's size.
    @Test func oneOf250LostCostsLittle() throws {
        let (image, key) = try Self.firmware(214_708)
        var air = TransferRig.Air()
        var whole = TransferRig(image, signedBy: key, air: air)
        let usual = whole.run()
        air.loss = 1 / 250
        var seconds = 0.0
        let seeds = TestRange.isFull ? 40 : 8
        for seed in 1...seeds {
            var rig = TransferRig(image, signedBy: key, air: air, seed: UInt64(seed))
            let outcome = rig.run()
            #expect(outcome.isUpdated && outcome.links == 1, "seed \(seed): \(outcome)")
            seconds += outcome.seconds / Double(seeds)
        }
        print("loss: \(usual.seconds) s without, \(seconds) s with")
        #expect(seconds <= 1.5 * usual.seconds)
    }

    /// Each notification of a transfer in turn comes late, or never, or late with the next one lost.
    @Test(arguments: [0.1, 0.4, 0.8, 1.6, 3, 7], [false, true]) func anyOneNotificationMayBeLate(seconds: Double, savesAlways: Bool) throws
    {
        let (image, key) = try Self.firmware(10_000)
        for number in 0..<(savesAlways ? 28 : 24) {
            for lost in [[], [number + 1], [number - 1]] as [[Int]] {
                var air = TransferRig.Air()
                air.savesAlways = savesAlways
                air.late = [number: .seconds(seconds)]
                air.lost = Set(lost)
                var rig = TransferRig(image, signedBy: key, air: air)
                let outcome = rig.run()
                #expect(outcome.isUpdated && outcome.links == 1, "notification \(number), lost \(lost): \(outcome)")
                #expect(outcome.byteCount <= image.bytes.count + 141 + 2 * 4096, "notification \(number), lost \(lost): \(outcome)")
            }
        }
    }

    @Test func anyTwoNotificationsMayBeLost() throws {
        let (image, key) = try Self.firmware(10_000)
        for first in 0..<22 {
            for second in first..<22 {
                var air = TransferRig.Air()
                air.lost = [first, second]
                var rig = TransferRig(image, signedBy: key, air: air)
                let outcome = rig.run()
                #expect(outcome.isUpdated, "\(first), \(second): \(outcome)")
                #expect(outcome.byteCount <= image.bytes.count + 141 + 2 * 4096, "\(first), \(second): \(outcome)")
                #expect(outcome.seconds <= 25, "\(first), \(second): \(outcome)")
            }
        }
    }

    /// With all progress saved a lost link costs the object under way, wherever it comes, and no packet behind that.
    @Test func aLostLinkCostsOneObject() throws {
        let (image, key) = try Self.firmware(20_000)
        for place in 1...110 {
            var air = TransferRig.Air()
            air.savesAlways = true
            air.cutAt = place
            var rig = TransferRig(image, signedBy: key, air: air)
            let outcome = rig.run()
            #expect(outcome.isUpdated && outcome.links <= 2 && outcome.losses == 0, "place \(place): \(outcome)")
            #expect(outcome.byteCount <= image.bytes.count + 2 * 141 + 4096, "place \(place): \(outcome)")
        }
    }

    /// Lengths that are no multiple of 4 would lose their end in the bootloader's flash.
    @Test(arguments: [250, 4097, 4099, 5002, 8199, 9001, 9002, 9003, 4341]) func everyLengthArrives(count: Int) throws {
        let (image, key) = try Self.firmware(count)
        for mtu in [23, 100, 247] {
            var air = TransferRig.Air()
            air.mtu = mtu
            var rig = TransferRig(image, signedBy: key, air: air)
            let outcome = rig.run()
            #expect(outcome.isUpdated && outcome.links == 1, "MTU \(mtu): \(outcome)")
        }
    }

    /// Stalls, lost and doubled packets, link losses and power cuts: never a wrong success, never a unit that needs a person.
    @Test func hostileLinks() throws {
        let (image, key) = try Self.firmware(40_004)
        var resent = 0
        var (seconds, needyCount, wrongCount) = (0.0, 0, 0)
        let seeds = TestRange.isFull ? 1000 : 60
        for seed in 0..<seeds {
            var numbers = SeededNumbers(seed: UInt64(seed))
            var air = TransferRig.Air()
            air.mtu = [23, 64, 100, 185, 247].randomElement(using: &numbers) ?? 247
            air.packetTime = .milliseconds(([0, 1.25, 7.5] as [Double]).randomElement(using: &numbers) ?? 0)
            air.notificationTime = .milliseconds(([0, 11, 30] as [Double]).randomElement(using: &numbers) ?? 0)
            air.loss = ([0, 0.001, 0.004] as [Double]).randomElement(using: &numbers) ?? 0
            air.duplicates = ([0, 0.002] as [Double]).randomElement(using: &numbers) ?? 0
            air.stalls = ([0, 0.05] as [Double]).randomElement(using: &numbers) ?? 0
            air.linkLosses = ([0, 0.0005, 0.002] as [Double]).randomElement(using: &numbers) ?? 0
            air.powerCuts = ([0, 0.0005] as [Double]).randomElement(using: &numbers) ?? 0
            let speed = ([1, 0.5] as [Double]).randomElement(using: &numbers) ?? 1
            var rig = TransferRig(image, signedBy: key, air: air, flashSpeed: speed, seed: UInt64(seed))
            let outcome = rig.run(links: 200)
            #expect(outcome.isUpdated, "seed \(seed): \(outcome)")
            #expect(outcome.seconds <= 120 + 30 * Double(outcome.links), "seed \(seed): \(outcome)")
            resent += outcome.byteCount - image.bytes.count
            seconds += outcome.seconds
            needyCount += outcome.isUpdated ? 0 : 1
            wrongCount += outcome.isWrong ? 1 : 0
        }
        #expect(wrongCount == 0)
        #expect(resent / seeds <= 42_000 && seconds / Double(seeds) <= 30, "\(resent / seeds) bytes, \(seconds / Double(seeds)) s")
        print("hostile: \(seeds) transfers, \(seeds - needyCount) updated, \(wrongCount) wrong, \(needyCount) need a person, "
            + "\(resent / seeds) bytes resent and \(seconds / Double(seeds)) s on average")
    }
}
