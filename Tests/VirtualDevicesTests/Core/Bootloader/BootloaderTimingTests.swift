import TestSupport
import Testing
@testable import VirtualDevices

@Suite struct BootloaderTimingTests {
    let key: TestSigningKey
    /// Monocle's released application has this many bytes.
    static let imageSize = 214_708

    init() throws { key = try TestSigningKey() }

    /// Sends objects over a link of 15 ms events; a request takes an event, and so does its answer.
    /// - Returns: the number of objects that arrived short, each of them sent once more with a pause. A CREATE that
    ///   finds the flash queue full is answered with 05, so the pause stands before it too.
    private func transfer(
        _ image: [UInt8], over unit: inout BootloaderUnit, packetsPerEvent: Int, firstPause: Duration
    ) -> Int {
        var short = 0
        for start in stride(from: 0, to: image.count, by: 4096) {
            let object = image[start..<min(start + 4096, image.count)]
            var pause = start == 0 ? firstPause : .zero
            while true {
                unit.wait(pause)
                if ask(&unit, [0x01, 2] + BootloaderUnit.little(UInt32(object.count), 4)).last != 0x01 { return .max }
                unit.wait(pause)
                send(object, over: &unit, packetsPerEvent: packetsPerEvent)
                let checksum = ask(&unit, [0x03])
                if checksum == [0x60, 0x03, 0x01] + BootloaderUnit.state(image[..<object.endIndex]) { break }
                short += 1
                pause = .milliseconds(400)
                if short > 200 { return short }
            }
            if ask(&unit, [0x04]) != [0x60, 0x04, 0x01] { return .max }
        }
        return short
    }

    private func ask(_ unit: inout BootloaderUnit, _ request: [UInt8]) -> [UInt8] {
        toNextEvent(&unit)
        let answer = unit.ask(request)
        toNextEvent(&unit)
        return answer
    }

    private func toNextEvent(_ unit: inout BootloaderUnit) {
        let event: Duration = .milliseconds(15)
        let events = (unit.now / event).rounded(.down) + 1
        unit.wait(event * Int(events) - unit.now)
    }

    private func send(_ object: ArraySlice<UInt8>, over unit: inout BootloaderUnit, packetsPerEvent: Int) {
        var rest = object
        while !rest.isEmpty {
            for _ in 0..<packetsPerEvent where !rest.isEmpty {
                unit.send(Array(rest.prefix(244)))
                rest = rest.dropFirst(244)
            }
            unit.wait(.milliseconds(15))
        }
    }

    private func transfer(
        packetsPerEvent: Int, firstPause: Duration
    ) throws -> (short: Int, unit: BootloaderUnit, image: [UInt8]) {
        let image = SeededNumbers.bytes(Self.imageSize, seed: 4)
        var unit = BootloaderUnit(key: key, capacity: 360_448)
        #expect(unit.sendInit(try InitPacketDraft(image: image).signed(by: key)) == [0x60, 0x04, 0x01])
        let short = transfer(image, over: &unit, packetsPerEvent: packetsPerEvent, firstPause: firstPause)
        unit.wait(.seconds(1))
        return (short, unit, image)
    }

    @Test func threePacketsAnEventLoseNothing() throws {
        let result = try transfer(packetsPerEvent: 3, firstPause: .milliseconds(400))
        #expect(result.short == 0)
        #expect(isSame(result.unit.bootloader.storage.application, result.image))
        #expect(result.unit.bootloader.storage.applicationIsValid)
        #expect(result.unit.now < .seconds(20))
        #expect(result.unit.now > .seconds(53 * 0.127), "53 erases and 214,708 bytes take the flash that long")
    }

    @Test func firstObjectIsShortWhileTheInitPacketIsBeingSaved() throws {
        let result = try transfer(packetsPerEvent: 3, firstPause: .zero)
        #expect(result.short == 1)
        #expect(isSame(result.unit.bootloader.storage.application, result.image))
    }

    @Test func floodLosesPackets() throws {
        // Six full packets are what 1M PHY carries in 15 ms: the sixteenth comes during the erase.
        let result = try transfer(packetsPerEvent: 6, firstPause: .milliseconds(400))
        #expect(result.short > 40)
        let arrived = result.unit.bootloader.storage.application
        #expect(isSame(arrived, result.image), "and the retries with a pause succeed")
    }

    @Test func smallPacketsFillTheQueueDuringAnErase() throws {
        var unit = BootloaderUnit(key: key)
        let image = SeededNumbers.bytes(4096, seed: 5)
        #expect(unit.sendInit(try InitPacketDraft(image: image).signed(by: key)) == [0x60, 0x04, 0x01])
        unit.wait(.seconds(1))
        _ = unit.ask([0x02, 1, 0])
        _ = unit.create(2, 4096)
        unit.notifications.removeAll()
        for index in 0..<40 { unit.send(Array(image[index * 20..<index * 20 + 20])) }
        #expect(unit.notifications.count == 40)
        #expect(unit.notifications.last == [0x60, 0x03, 0x01, 0, 0, 0, 0, 0, 0, 0, 0], "a dropped packet's receipt")
        #expect(unit.ask([0x03]).suffix(8) == BootloaderUnit.state(image[..<300])[...], "one erase and fifteen writes")
    }

    @Test func buffersLimitWhereTheQueueIsLonger() throws {
        var unit = BootloaderUnit(key: key) { $0.flashQueueDepth = 100 }
        let image = SeededNumbers.bytes(4096, seed: 5)
        #expect(unit.sendInit(try InitPacketDraft(image: image).signed(by: key)) == [0x60, 0x04, 0x01])
        unit.wait(.seconds(1))
        _ = unit.create(2, 4096)
        for index in 0..<40 { unit.send(Array(image[index * 20..<index * 20 + 20])) }
        #expect(unit.ask([0x03]).suffix(8) == BootloaderUnit.state(image[..<340])[...])
    }

    @Test func createFindsTheQueueFull() throws {
        var unit = BootloaderUnit(key: key)
        let image = SeededNumbers.bytes(4096, seed: 5)
        #expect(unit.sendInit(try InitPacketDraft(image: image).signed(by: key)) == [0x60, 0x04, 0x01])
        unit.wait(.seconds(1))
        _ = unit.create(2, 4096)
        for _ in 0..<17 { unit.send([UInt8](repeating: 1, count: 240)) }
        #expect(unit.create(2, 4096) == [0x60, 0x01, 0x05])
        unit.wait(.seconds(1))
        #expect(unit.create(2, 4096) == [0x60, 0x01, 0x01])
    }

    @Test func executeWaitsForTheFlash() throws {
        var unit = BootloaderUnit(key: key)
        let image = SeededNumbers.bytes(8192, seed: 6)
        #expect(unit.sendInit(try InitPacketDraft(image: image).signed(by: key)) == [0x60, 0x04, 0x01])
        unit.wait(.seconds(1))
        let created = unit.now
        #expect(unit.create(2, 4096) == [0x60, 0x01, 0x01])
        #expect(unit.now == created, "CREATE does not wait for its erase")
        unit.wait(.milliseconds(84))
        unit.wait(.milliseconds(1))
        for start in stride(from: 0, to: 4096, by: 256) {
            unit.send(Array(image[start..<start + 128]))
            unit.send(Array(image[start + 128..<start + 256]))
            unit.wait(.microseconds(41 * 64))
        }
        let last = unit.now
        #expect(unit.create(2, 4096) == [0x60, 0x01, 0x01])
        #expect(unit.ask([0x04]) == [0x60, 0x04, 0x08])
        #expect(unit.now == last)
        unit.stream(image[..<4096])
        let full = unit.now
        unit.wait(.seconds(1))
        #expect(unit.ask([0x04]) == [0x60, 0x04, 0x01])
        #expect(unit.now == full + .seconds(1))
        _ = unit.create(2, 4096)
        unit.wait(.milliseconds(85))
        for start in stride(from: 4096, to: 4096 + 244 * 16, by: 244) { unit.send(Array(image[start..<start + 244])) }
        unit.wait(.microseconds(41 * 61))
        unit.send(Array(image[(4096 + 244 * 16)...]))
        let before = unit.now
        #expect(unit.ask([0x04]) == [0x60, 0x04, 0x01])
        #expect(unit.now - before >= .microseconds(41 * (61 * 15 + 48)), "the writes, then the digest")
    }

    @Test func inactivity() throws {
        var bare = BootloaderUnit(key: key)
        #expect(bare.bootloader.nextDeadline == .seconds(180))
        bare.wait(.seconds(180))
        #expect(bare.events == [.init(time: .seconds(180), event: .restarted)])
        #expect(bare.bootloader.nextDeadline == .seconds(360))

        let owned = BootloaderStorage(application: [1])
        var idle = BootloaderUnit(key: key, storage: owned)
        idle.wait(.milliseconds(179_999))
        #expect(idle.events.isEmpty)
        idle.wait(.milliseconds(1))
        #expect(idle.events == [.init(time: .seconds(180), event: .startedApplication)])

        var begun = BootloaderUnit(key: key, storage: owned)
        begun.wait(.seconds(9))
        #expect(begun.create(1, 100) == [0x60, 0x01, 0x01])
        begun.wait(.seconds(179))
        #expect(begun.events.isEmpty)
        _ = begun.ask([0x03])
        begun.wait(.seconds(1))
        #expect(begun.events.map(\.event) == [.startedApplication], "only CREATE command and EXECUTE of data count")
    }
}
