import Bluetooth
import TestSupport
import Testing

@testable import DFU

/// Feeds a machine event by event.
struct MachineDriver {
    let command = Fixtures.image(141, seed: 2)
    let image: [UInt8]
    var machine: TransferMachine

    init(imageSize: Int = 10_000) {
        image = Fixtures.image(imageSize)
        machine = TransferMachine(initPacket: command, image: image)
    }

    /// The pause after the init packet is over at once, except in the test that is about it.
    var skipsSettling = true

    mutating func answer(_ bytes: [UInt8]) -> [TransferAction] {
        let actions = machine.handle(.notification(bytes))
        guard skipsSettling, actions.last == .wait(.pause, TransferMachine.settlingPause) else { return actions }
        return actions.dropLast() + machine.handle(.timedOut(.pause))
    }

    mutating func done(_ operation: UInt8) -> [TransferAction] { answer([0x60, operation, 1]) }

    mutating func selected(_ limit: UInt32, _ offset: Int, _ crc: UInt32) -> [TransferAction] {
        answer([0x60, 6, 1] + little(limit) + little(UInt32(offset)) + little(crc))
    }

    mutating func checksum(_ offset: Int, of bytes: [UInt8]) -> [TransferAction] {
        answer([0x60, 3, 1] + little(UInt32(offset)) + little(referenceCRC(bytes.prefix(offset))))
    }

    /// From the link's start to the answer of SELECT data, with an init packet on the unit.
    mutating func toImage(payloadSize: Int = 244, offset: Int, crc: UInt32? = nil) -> [TransferAction] {
        _ = machine.handle(.linkReady(payloadSize: payloadSize))
        _ = done(2)
        _ = selected(512, command.count, referenceCRC(command))
        _ = done(4)
        return selected(4096, offset, crc ?? referenceCRC(image.prefix(offset)))
    }
}

func writes(_ actions: [TransferAction]) -> [[UInt8]] {
    actions.compactMap { if case .writeControl(let bytes) = $0 { bytes } else { nil } }
}

func packets(_ actions: [TransferAction]) -> Range<Int>? {
    actions.lazy.compactMap { if case .sendPackets(_, let range, _) = $0 { range } else { nil } }.first
}

func notices(_ actions: [TransferAction]) -> [TransferNotice] {
    actions.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
}

func failure(_ actions: [TransferAction]) -> DFUError? {
    actions.lazy.compactMap { if case .fail(let error) = $0 { error } else { nil } }.first
}

func createData(_ size: Int) -> [UInt8] { [1, 2] + little(UInt32(size)) }

@Suite struct TransferMachineTests {
    @Test func aFreshTransferRunsEventByEvent() throws {
        var driver = MachineDriver()
        #expect(
            driver.machine.handle(.linkReady(payloadSize: 244))
                == [.writeControl([2, 17, 0]), .wait(.answer(.setReceiptInterval), .seconds(5))])
        #expect(driver.done(2) == [.writeControl([6, 1]), .wait(.answer(.select), .seconds(5))])
        #expect(writes(driver.selected(512, 0, 0)) == [[1, 1, 141, 0, 0, 0]])
        let initPacket = driver.done(1)
        #expect(initPacket.first == .sendPackets(.command, 0..<141, packetSize: 244))
        #expect(writes(initPacket) == [[3]])
        #expect(
            driver.checksum(141, of: driver.command)
                == [.writeControl([4]), .wait(.answer(.execute), .seconds(10))])
        let accepted = driver.done(4)
        #expect(notices(accepted) == [.initPacketAccepted])
        #expect(writes(accepted) == [[6, 2]])
        #expect(writes(driver.selected(4096, 0, 0)) == [createData(4096)])

        let first = driver.done(1)
        #expect(first == [.sendPackets(.data, 0..<4096, packetSize: 244), .wait(.receipt, .milliseconds(1500))])
        let received = driver.checksum(4096, of: driver.image)
        #expect(received.first == .progress(4096))
        #expect(writes(received) == [[4]])
        #expect(writes(driver.done(4)) == [createData(4096)])
        #expect(packets(driver.done(1)) == 4096..<8192)
        _ = driver.checksum(8192, of: driver.image)
        #expect(writes(driver.done(4)) == [createData(1808)])
        let last = driver.done(1)
        #expect(packets(last) == 8192..<10_000)
        #expect(writes(last) == [[3]], "8 packets are no multiple of the interval, so the checksum is asked for")
        #expect(writes(driver.checksum(10_000, of: driver.image)) == [[4]])
        #expect(driver.done(4) == [.progress(10_000), .wait(.disconnection, .seconds(10))])
        guard case .done(let summary)? = driver.machine.handle(.disconnected).first else {
            Issue.record("not done")
            return
        }
        #expect(summary.isConfirmed && summary.losses == 0 && summary.receipts == 2)
        #expect(summary.roundTrips == 6 + 2 * 3 + 1)
        #expect(summary.packets == 1 + 17 + 17 + 8)
    }

    @Test(arguments: [(20, 20), (23, 20), (244, 244), (247, 244), (253, 252)])
    func packetsAreWholeWords(payload: Int, expected: Int) {
        var driver = MachineDriver()
        _ = driver.toImage(payloadSize: payload, offset: 0)
        #expect(driver.done(1).first == .sendPackets(.data, 0..<4096, packetSize: expected))
    }

    @Test func theFlashSettlesOnceAfterTheInitPacket() {
        var driver = MachineDriver()
        driver.skipsSettling = false
        _ = driver.toImage(offset: 0)
        #expect(driver.done(1) == [.wait(.pause, .milliseconds(300))])
        #expect(packets(driver.machine.handle(.timedOut(.pause))) == 0..<4096)
        _ = driver.checksum(4096, of: driver.image)
        _ = driver.done(4)
        #expect(packets(driver.done(1)) == 4096..<8192)
    }

    @Test func aTinyPayloadIsRefused() {
        var driver = MachineDriver()
        #expect(failure(driver.machine.handle(.linkReady(payloadSize: 19))) == .transfer(.payloadTooSmall(19)))
    }

    @Test func theInitPacketContinuesWhereItStopped() {
        var driver = MachineDriver()
        _ = driver.machine.handle(.linkReady(payloadSize: 20))
        _ = driver.done(2)
        #expect(packets(driver.selected(512, 40, referenceCRC(driver.command.prefix(40)))) == 40..<141)
    }

    @Test func anotherInitPacketIsReplaced() {
        var driver = MachineDriver()
        _ = driver.machine.handle(.linkReady(payloadSize: 244))
        _ = driver.done(2)
        #expect(writes(driver.selected(512, 141, 0x1234)) == [[1, 1, 141, 0, 0, 0]])
    }

    @Test func aKeptInitPacketIsExecutedAgainAndSentAnewWhenForgotten() {
        var driver = MachineDriver()
        _ = driver.machine.handle(.linkReady(payloadSize: 244))
        _ = driver.done(2)
        #expect(writes(driver.selected(512, 141, referenceCRC(driver.command))) == [[4]])
        let again = driver.answer([0x60, 4, 5])
        #expect(notices(again) == [.initPacketSentAgain])
        #expect(writes(again) == [[1, 1, 141, 0, 0, 0]])
    }

    @Test func afterAPowerCutTheImageStartsAtZero() {
        var driver = MachineDriver()
        #expect(writes(driver.toImage(offset: 0)) == [createData(4096)])
    }

    @Test func resumesInsideAnObject() {
        var driver = MachineDriver()
        let actions = driver.toImage(offset: 4096 + 976)
        #expect(notices(actions) == [.resumed(5072)])
        #expect(packets(actions) == 5072..<8192)
        #expect(writes(actions) == [[3]], "13 packets give no receipt at an interval of 17")
        #expect(writes(driver.checksum(8192, of: driver.image)) == [[4]])
    }

    @Test func aFullObjectThatWasNotExecutedIsExecuted() {
        var driver = MachineDriver()
        #expect(writes(driver.toImage(offset: 8192)) == [[4]])
        #expect(writes(driver.done(4)) == [createData(1808)])
    }

    @Test func aFullObjectThatWasExecutedIsNotSentAgain() {
        var driver = MachineDriver()
        #expect(writes(driver.toImage(offset: 8192)) == [[4]])
        #expect(writes(driver.answer([0x60, 4, 8])) == [createData(1808)])
        #expect(writes(driver.done(1)) == [[3]], "what was executed is checked before going on")
        #expect(packets(driver.checksum(8192, of: driver.image)) == 8192..<10_000)
    }

    @Test func aCompleteImageIsOnlyExecuted() {
        var driver = MachineDriver()
        #expect(writes(driver.toImage(offset: 10_000)) == [[4]])
        #expect(driver.done(4).last == .wait(.disconnection, .seconds(10)))
    }

    @Test func otherBytesCreateTheObjectAgain() {
        var driver = MachineDriver()
        #expect(writes(driver.toImage(offset: 5000, crc: 7)) == [createData(4096)])
        #expect(writes(driver.done(1)) == [[3]])
        #expect(packets(driver.checksum(4096, of: driver.image)) == 4096..<8192)
    }

    @Test func foreignExecutedBytesStartOverOnce() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 5000, crc: 7)
        _ = driver.done(1)
        let over = driver.answer([0x60, 3, 1] + little(UInt32(4096)) + little(UInt32(99)))
        #expect(notices(over) == [.startedOver])
        #expect(writes(over) == [[1, 1, 141, 0, 0, 0]])
        _ = driver.done(1)
        _ = driver.checksum(141, of: driver.command)
        _ = driver.done(4)
        #expect(failure(driver.selected(4096, 20_000, 1)) == .transfer(.foreignData))
    }

    @Test func anUnalignedOffsetIsNotContinued() {
        var driver = MachineDriver()
        #expect(writes(driver.toImage(offset: 4099)) == [createData(4096)])
    }

    @Test func aMissingReceiptIsAskedForAndTheTailSentAgainSlower() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        _ = driver.done(1)
        #expect(writes(driver.machine.handle(.timedOut(.receipt))) == [[3]])
        let slowed = driver.checksum(2440, of: driver.image)
        #expect(notices(slowed).first == .pacingSlowed(.twelvePackets))
        #expect(writes(slowed) == [[2, 12, 0]])
        let tail = driver.done(2)
        #expect(packets(tail) == 2440..<4096, "the object is still open: no CREATE")
        #expect(writes(tail) == [[3]])
    }

    @Test func aWrongChecksumCreatesTheObjectAgainWithAPause() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        _ = driver.done(1)
        #expect(writes(driver.answer([0x60, 3, 1] + little(UInt32(4096)) + little(UInt32(5)))) == [[2, 12, 0]])
        #expect(writes(driver.done(2)) == [createData(4096)])
        #expect(driver.done(1) == [.wait(.pause, .milliseconds(100))])
        let window = driver.machine.handle(.timedOut(.pause))
        #expect(packets(window) == 0..<(12 * 244))
        #expect(writes(window).isEmpty, "the receipt comes unasked")
        #expect(packets(driver.checksum(12 * 244, of: driver.image)) == (12 * 244)..<4096)
    }

    @Test func threeLossesFailAndAGoodChecksumResetsTheCount() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        let wrong: [UInt8] = [0x60, 3, 1] + little(UInt32(0)) + little(UInt32(5))
        func loseOnce(_ driver: inout MachineDriver) -> [TransferAction] {
            let lost = driver.answer(wrong)
            if failure(lost) == nil {
                _ = driver.done(2)
                _ = driver.done(1)
                _ = driver.machine.handle(.timedOut(.pause))
            }
            return lost
        }
        _ = driver.done(1)
        #expect(notices(loseOnce(&driver)).first == .pacingSlowed(.twelvePackets))
        #expect(notices(loseOnce(&driver)).first == .pacingSlowed(.everyPacket))
        _ = driver.checksum(244, of: driver.image)
        #expect(failure(loseOnce(&driver)) == nil, "the good checksum before it reset the count")
        #expect(failure(loseOnce(&driver)) == nil)
        #expect(failure(loseOnce(&driver)) == .transfer(.objectLost(.data, offset: 0, attempts: 3)))
        #expect(driver.machine.handle(.disconnected).isEmpty, "a finished machine is silent")
    }

    @Test func staleAnswersAreIgnored() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        #expect(driver.checksum(0, of: driver.image).isEmpty)
        #expect(driver.done(4).isEmpty)
        #expect(packets(driver.done(1)) == 0..<4096)
        #expect(driver.checksum(0, of: driver.image).isEmpty, "a receipt that counts no packet is late")
    }

    @Test func malformedAnswersFail() {
        var driver = MachineDriver()
        _ = driver.machine.handle(.linkReady(payloadSize: 244))
        #expect(failure(driver.answer([0xFF])) == .transfer(.malformedAnswer(bytes: [0xFF])))
    }

    /// A flash that has not caught up refuses the erase that CREATE asks for as an invalid object; it gets time, five times.
    @Test func aBusyFlashIsWaitedFor() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        driver.skipsSettling = false
        for _ in 0..<5 {
            let refused = driver.answer([0x60, 1, 5])
            #expect(refused == [.notice(.flashBusy), .wait(.pause, .milliseconds(300))])
            #expect(writes(driver.machine.handle(.timedOut(.pause))) == [createData(4096)])
        }
        var spent = driver
        #expect(failure(spent.answer([0x60, 1, 5])) == .refused(.create, .result(.invalidObject)))
        #expect(driver.done(1) == [.wait(.pause, .milliseconds(300))])
        #expect(packets(driver.machine.handle(.timedOut(.pause))) == 0..<4096)
    }

    @Test(arguments: [UInt8(0), 2, 3, 4, 7, 8, 0x0A, 0x33])
    func refusalsFail(result: UInt8) {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        #expect(failure(driver.answer([0x60, 1, result])) == .refused(.create, Refusal(result: result)))
    }

    @Test(arguments: Array(UInt8(2)...0x0D))
    func extendedErrorsFail(code: UInt8) {
        var driver = MachineDriver()
        _ = driver.machine.handle(.linkReady(payloadSize: 244))
        _ = driver.done(2)
        _ = driver.selected(512, 141, referenceCRC(driver.command))
        #expect(failure(driver.answer([0x60, 4, 0x0B, code])) == .refused(.execute, Refusal(extended: code)))
    }

    @Test func smallObjectLimitsAreRefused() {
        var driver = MachineDriver()
        _ = driver.machine.handle(.linkReady(payloadSize: 244))
        _ = driver.done(2)
        #expect(failure(driver.selected(100, 0, 0)) == .transfer(.objectLimitTooSmall(.command, limit: 100)))
        var other = MachineDriver()
        _ = other.machine.handle(.linkReady(payloadSize: 244))
        _ = other.done(2)
        _ = other.selected(512, 141, referenceCRC(other.command))
        _ = other.done(4)
        #expect(failure(other.selected(0, 0, 0)) == .transfer(.objectLimitTooSmall(.data, limit: 0)))
    }

    @Test func aMissingAnswerAsksForTheStateAndTheThirdFails() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        let asked = driver.machine.handle(.timedOut(.answer(.create)))
        #expect(notices(asked) == [.answerMissing(.create)])
        #expect(writes(asked) == [[2, 17, 0]])
        #expect(writes(driver.done(2)) == [[6, 2]])
        _ = driver.machine.handle(.timedOut(.answer(.select)))
        #expect(
            failure(driver.machine.handle(.timedOut(.answer(.setReceiptInterval))))
                == .transfer(.noAnswer(.setReceiptInterval)))
    }

    @Test func aLostLinkSaysHowFarItGot() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 4096)
        #expect(failure(driver.machine.handle(.disconnected)) == .transfer(.linkLost(offset: 4096, of: 10_000)))
    }

    @Test func aLinkLostAfterTheLastExecuteIsSuccessToBeProved() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 10_000)
        guard case .done(let summary)? = driver.machine.handle(.disconnected).first else {
            Issue.record("not done")
            return
        }
        #expect(!summary.isConfirmed)
    }

    @Test func aUnitThatDoesNotResetIsDoneWithANotice() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 10_000)
        _ = driver.done(4)
        #expect(notices(driver.machine.handle(.timedOut(.disconnection))) == [.unitStaysConnected])
    }

    @Test func anImageThatRestartsIsNotTakenForFinished() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 10_000)
        _ = driver.machine.handle(.timedOut(.answer(.execute)))
        _ = driver.done(2)
        _ = driver.selected(4096, 0, 0)
        #expect(failure(driver.machine.handle(.disconnected)) == .transfer(.linkLost(offset: 0, of: 10_000)))
    }
}
