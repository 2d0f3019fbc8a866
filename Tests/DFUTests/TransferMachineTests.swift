import TestSupport
import Testing

@testable import DFU

@Suite struct TransferMachineTests {
    @Test func aFreshTransferRunsEventByEvent() throws {
        var driver = MachineDriver()
        #expect(
            driver.handle(.linkReady(payloadSize: 244))
                == [.writeControl([2, 17, 0]), .wait(.answer(.setReceiptInterval), .milliseconds(700))])
        #expect(driver.done(2) == [.writeControl([6, 1]), .wait(.answer(.select), .milliseconds(740))])
        #expect(writes(driver.selected(512, 0, 0)) == [[1, 1, 141, 0, 0, 0]])
        let initPacket = driver.done(1)
        #expect(initPacket.first == .sendPackets(.command, [0..<141]))
        #expect(writes(initPacket) == [[6, 1]])
        #expect(
            driver.holds(141, of: driver.command)
                == [.writeControl([4]), .wait(.answer(.execute), .milliseconds(3740))])
        let accepted = driver.done(4)
        #expect(notices(accepted) == [.initPacketAccepted])
        #expect(writes(accepted) == [[6, 2]])
        #expect(writes(driver.selected(4096, 0, 0)) == [createData(4096)])

        let first = driver.done(1)
        #expect(packets(first) == 0..<4096 && first.last == .wait(.receipt, .milliseconds(1500)))
        let received = driver.receipt(4096, of: driver.image)
        #expect(received.first == .progress(4096))
        #expect(writes(received) == [[4]])
        #expect(writes(driver.done(4)) == [createData(4096)])
        #expect(packets(driver.done(1)) == 4096..<8192)
        _ = driver.receipt(8192, of: driver.image)
        #expect(writes(driver.done(4)) == [createData(1808)])
        let last = driver.done(1)
        #expect(packets(last) == 8192..<10_000)
        #expect(writes(last) == [[6, 2]], "8 packets are no multiple of the interval, so the unit is asked")
        #expect(writes(driver.holds(10_000, of: driver.image)) == [[4]])
        #expect(driver.done(4) == [.progress(10_000), .wait(.disconnection, .seconds(10))])
        guard case .done(let summary)? = driver.handle(.disconnected).first else {
            Issue.record("not done")
            return
        }
        #expect(summary.isConfirmed && summary.losses == 0 && summary.receipts == 2)
        #expect(summary.roundTrips == 6 + 2 * 3 + 3, "one for the flash to rest, one for the packet that is risked")
        #expect(summary.packets == 1 + 17 + 17 + 8 && summary.byteCount == 141 + 10_000)
    }

    /// An erase and fifteen packets fill the queue: fourteen go at once, the rest when it drains.
    @Test func packetsWaitForTheErase() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        _ = driver.done(1)
        _ = driver.receipt(4096, of: driver.image)
        _ = driver.done(4)
        let window = driver.machine.handle(.notification([0x60, 1, 1]), at: driver.now)
        let packets = (0..<14).map { 4096 + $0 * 244..<4096 + ($0 + 1) * 244 }
        #expect(window == [.sendPackets(.data, packets), .wait(.pause, .microseconds(90_000 + 3 * 61 * 50))])
    }

    /// In a longer packet the flash would lose them.
    @Test func theLastOddBytesGoAlone() {
        var driver = MachineDriver(imageSize: 4096 + 246)
        _ = driver.toImage(offset: 4096)
        _ = driver.done(4)
        #expect(driver.done(1).first == .sendPackets(.data, [4096..<4340, 4340..<4342]))
    }

    @Test(arguments: [(20, 20), (23, 20), (244, 244), (247, 244), (253, 252)])
    func packetsAreWholeWords(payload: Int, expected: Int) {
        var driver = MachineDriver()
        _ = driver.toImage(payloadSize: payload, offset: 0)
        guard case .sendPackets(_, let packets)? = driver.done(1).first else {
            Issue.record("no packets")
            return
        }
        #expect(packets.first?.count == expected)
    }

    /// EXECUTE before the first CREATE is answered when the settings are written, and tells how fast the flash is.
    @Test func theFlashRestsBeforeTheFirstObject() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        #expect(driver.machine.pacing.eraseTime == .milliseconds(90), "nothing had to be written")
        var slow = MachineDriver()
        _ = slow.handle(.linkReady(payloadSize: 244))
        _ = slow.done(2)
        _ = slow.selected(512, 141, referenceCRC(slow.command))
        _ = slow.done(4)
        slow.now += .milliseconds(10)
        let select = slow.machine.handle(
            .notification([0x60, 6, 1] + little(UInt32(4096)) + little(UInt32(0)) + little(UInt32(0))), at: slow.now)
        #expect(writes(select) == [[4]])
        slow.now += .milliseconds(376)
        #expect(writes(slow.machine.handle(.notification([0x60, 4, 1]), at: slow.now)) == [createData(4096)])
        #expect((.milliseconds(170)...(.milliseconds(190))).contains(slow.machine.pacing.eraseTime))
    }
}
