import TestSupport
import Testing
import VirtualDevices

@Suite struct BootloaderRequestTests {
    let key: TestSigningKey
    let image = SeededNumbers.bytes(10_000, seed: 1)

    init() throws { key = try TestSigningKey() }

    private func readyForData() throws -> BootloaderUnit {
        var unit = BootloaderUnit(key: key)
        #expect(unit.sendInit(try InitPacketDraft(image: image).signed(by: key)) == [0x60, 0x04, 0x01])
        unit.wait(.seconds(1))
        #expect(unit.ask([0x06, 2]) == [0x60, 0x06, 0x01, 0, 0x10, 0, 0] + BootloaderUnit.state([UInt8]()))
        return unit
    }

    @Test func controlPointNeedsItsNotifications() {
        var unit = BootloaderUnit(key: key)
        unit.bootloader.setControlPointNotifications(false)
        #expect(unit.bootloader.writeControlPoint([0x03], now: .zero) == 0xFD)
        unit.bootloader.setControlPointNotifications(true)
        #expect(unit.bootloader.writeControlPoint([0x03], now: .zero) == nil)
        #expect(unit.bootloader.writeControlPoint([UInt8](repeating: 1, count: 24), now: .zero) == 0x0D)
    }

    @Test func notificationsAreOffAfterAReconnect() {
        var unit = BootloaderUnit(key: key)
        unit.bootloader.disconnected(now: .zero)
        unit.bootloader.setControlPointNotifications(true)
        unit.bootloader.connected(now: .zero)
        #expect(unit.bootloader.writeControlPoint([0x03], now: .zero) == 0xFD)
    }

    @Test(arguments: [0x00, 0x05, 0x07, 0x09, 0x0A, 0x0B, 0x0D, 0x60, 0xFF] as [UInt8])
    func otherOperationsAreNotSupported(opcode: UInt8) {
        var unit = BootloaderUnit(key: key)
        #expect(unit.ask([opcode, 1, 2, 3]) == [0x60, opcode, 0x02])
    }

    @Test func shortRequestsReadAsZeros() {
        var unit = BootloaderUnit(key: key)
        #expect(unit.ask([]) == [0x60, 0x00, 0x02])
        #expect(unit.ask([0x01]) == [0x60, 0x01, 0x05])
        #expect(unit.ask([0x01, 1]) == [0x60, 0x01, 0x03])
        #expect(unit.ask([0x06]) == [0x60, 0x06, 0x05])
        #expect(unit.ask([0x03]) == [0x60, 0x03, 0x05])
        #expect(unit.ask([0x04]) == [0x60, 0x04, 0x05])
    }

    @Test func commandObjectIsAnsweredWithOffsetAndChecksum() {
        var unit = BootloaderUnit(key: key)
        #expect(unit.create(1, 0) == [0x60, 0x01, 0x03])
        #expect(unit.create(1, 513) == [0x60, 0x01, 0x04])
        #expect(unit.create(1, 512) == [0x60, 0x01, 0x01])
        unit.stream(image[..<300])
        #expect(unit.ask([0x03]) == [0x60, 0x03, 0x01] + BootloaderUnit.state(image[..<300]))
        #expect(unit.ask([0x06, 1]) == [0x60, 0x06, 0x01, 0, 2, 0, 0] + BootloaderUnit.state(image[..<300]))
        #expect(unit.ask([0x04]) == [0x60, 0x04, 0x08])
    }

    @Test func dataNeedsAnExecutedInitPacket() throws {
        var unit = BootloaderUnit(key: key)
        #expect(unit.create(2, 4096) == [0x60, 0x01, 0x08])
        let packet = try InitPacketDraft(image: image).signed(by: key)
        _ = unit.create(1, packet.count)
        unit.stream(packet)
        #expect(unit.create(2, 4096) == [0x60, 0x01, 0x08])
    }

    @Test func dataObjectSizes() throws {
        var unit = try readyForData()
        #expect(unit.create(2, 0) == [0x60, 0x01, 0x03])
        #expect(unit.create(2, 100) == [0x60, 0x01, 0x03])
        #expect(unit.create(2, 8192) == [0x60, 0x01, 0x04])
        #expect(unit.create(2, 10_000) == [0x60, 0x01, 0x04], "ends at the image's end, and is too large")
        #expect(unit.create(2, 4096) == [0x60, 0x01, 0x01])
    }

    @Test func lastObjectMayNotPassTheImage() throws {
        var unit = try readyForData()
        _ = unit.sendImage(image, to: 8192)
        #expect(unit.create(2, 4096) == [0x60, 0x01, 0x08])
        #expect(unit.create(2, 1807) == [0x60, 0x01, 0x03])
        #expect(unit.create(2, 1808) == [0x60, 0x01, 0x01])
    }

    @Test func checksumRunsOverTheImageAndCreateRewinds() throws {
        var unit = try readyForData()
        _ = unit.sendImage(image, to: 4096)
        _ = unit.create(2, 4096)
        unit.wait(.milliseconds(100))
        unit.stream(image[4096..<5000], size: 200)
        #expect(unit.ask([0x03]) == [0x60, 0x03, 0x01] + BootloaderUnit.state(image[..<5000]))
        #expect(unit.ask([0x06, 2]).suffix(8) == BootloaderUnit.state(image[..<5000])[...])
        #expect(unit.ask([0x04]) == [0x60, 0x04, 0x08], "an object that is not full")
        _ = unit.create(2, 4096)
        #expect(unit.ask([0x03]) == [0x60, 0x03, 0x01] + BootloaderUnit.state(image[..<4096]))
    }

    @Test func receiptsComeUnasked() throws {
        var unit = try readyForData()
        #expect(unit.ask([0x02, 3, 0]) == [0x60, 0x02, 0x01])
        _ = unit.create(2, 4096)
        unit.wait(.milliseconds(100))
        unit.notifications.removeAll()
        unit.stream(image[..<1000], size: 100)
        #expect(
            unit.notifications == [300, 600, 900].map { [0x60, 0x03, 0x01] + BootloaderUnit.state(image[..<$0]) })
        #expect(unit.create(2, 4096) == [0x60, 0x01, 0x01])
        unit.wait(.milliseconds(100))
        unit.stream(image[..<200], size: 100)
        #expect(unit.notifications.isEmpty, "CREATE starts the count again")
    }

    @Test func packetPastTheObjectShowsOnlyInAReceipt() throws {
        var unit = try readyForData()
        _ = unit.create(2, 4096)
        unit.wait(.milliseconds(100))
        unit.stream(image[..<4096])
        unit.notifications.removeAll()
        unit.send([1, 2, 3, 4])
        #expect(unit.notifications.isEmpty)
        #expect(unit.ask([0x03]) == [0x60, 0x03, 0x01] + BootloaderUnit.state(image[..<4096]))
        _ = unit.ask([0x02, 1, 0])
        unit.send([1, 2, 3, 4])
        #expect(unit.notifications == [[0x60, 0x03, 0x03]])
    }

    @Test func refusedPacketsLeakTheirBuffers() throws {
        var unit = try readyForData()
        _ = unit.create(2, 4096)
        unit.wait(.milliseconds(100))
        unit.stream(image[..<4096])
        for _ in 0..<17 { unit.send([1]) }
        _ = unit.create(2, 4096)
        unit.wait(.milliseconds(100))
        unit.stream(image[..<1000])
        #expect(unit.ask([0x03]) == [0x60, 0x03, 0x01] + BootloaderUnit.state([UInt8]()))
    }

    @Test func packetsOutsideTheirLengthNeverArrive() throws {
        var unit = try readyForData()
        _ = unit.ask([0x02, 1, 0])
        _ = unit.create(2, 4096)
        unit.wait(.milliseconds(100))
        unit.notifications.removeAll()
        unit.send([UInt8](repeating: 1, count: 245))
        #expect(unit.notifications.isEmpty)
        unit.send([UInt8](repeating: 1, count: 244))
        #expect(unit.notifications.count == 1)
    }

    @Test func abortResets() throws {
        var unit = try readyForData()
        #expect(unit.ask([0x0C]).isEmpty, "the link ends instead")
        #expect(unit.events.suffix(2).map(\.event) == [.disconnected, .restarted])
        var owner = BootloaderUnit(key: key, storage: BootloaderStorage(application: [1]))
        #expect(owner.ask([0x0C]).isEmpty)
        #expect(owner.events.last?.event == .startedApplication)
        #expect(owner.bootloader.hasLeft && owner.bootloader.nextDeadline == nil)
    }

    @Test(arguments: [(23, 23), (24, 23), (185, 183), (246, 243), (247, 247), (517, 247), (0, 23)])
    func payloadIsWholeWords(requested: Int, answered: Int) {
        #expect(SecureBootloader.negotiatedMTU(requested: requested) == answered)
    }
}
