import Bluetooth
import TestSupport
import Testing

@testable import DFU

/// Feeds a machine event by event.
struct MachineDriver {
    let command = Fixtures.image(141, seed: 2)
    let image: [UInt8]
    var machine: TransferMachine
    var now = Duration.zero

    init(imageSize: Int = 10_000) {
        image = Fixtures.image(imageSize)
        machine = TransferMachine(initPacket: command, image: image)
    }

    /// Pauses are over at once, the flash rests, and the packet that is risked first arrives.
    mutating func answer(_ bytes: [UInt8]) -> [TransferAction] { skippingPauses(handle(.notification(bytes))) }

    /// Time passes only in waits.
    mutating func handle(_ event: TransferEvent) -> [TransferAction] {
        now += .milliseconds(10)
        return machine.handle(event, at: now)
    }

    mutating func skippingPauses(_ actions: [TransferAction]) -> [TransferAction] {
        if case .executing(.rest) = machine.state {
            now += .milliseconds(100)
            return actions.dropLast(2) + skippingPauses(machine.handle(.notification([0x60, 4, 1]), at: now))
        }
        if case .asking(let object) = machine.state, object.sent < object.range.upperBound, machine.summary.losses == 0, object.packets == machine.pacing.window + 1 {
            let crc = referenceCRC(image.prefix(object.sent))
            let answer = [0x60, 6, 1] + little(UInt32(4096)) + little(UInt32(object.sent)) + little(crc)
            return actions.dropLast(2) + skippingPauses(machine.handle(.notification(answer), at: now))
        }
        guard case .wait(.pause, let duration)? = actions.last else { return actions }
        now += duration
        return actions.dropLast() + skippingPauses(machine.handle(.timedOut(.pause), at: now))
    }

    mutating func done(_ operation: UInt8) -> [TransferAction] { answer([0x60, operation, 1]) }

    mutating func selected(_ limit: UInt32, _ offset: Int, _ crc: UInt32) -> [TransferAction] {
        answer([0x60, 6, 1] + little(limit) + little(UInt32(offset)) + little(crc))
    }

    /// SELECT's answer for the bytes that were sent.
    mutating func holds(_ offset: Int, of bytes: [UInt8]) -> [TransferAction] {
        selected(bytes.count == command.count ? 512 : 4096, offset, referenceCRC(bytes.prefix(offset)))
    }

    mutating func receipt(_ offset: Int, of bytes: [UInt8]) -> [TransferAction] {
        answer([0x60, 3, 1] + little(UInt32(offset)) + little(referenceCRC(bytes.prefix(offset))))
    }

    /// From the link's start to the answer of SELECT data, with an init packet on the unit.
    mutating func toImage(payloadSize: Int = 244, offset: Int, crc: UInt32? = nil) -> [TransferAction] {
        _ = handle(.linkReady(payloadSize: payloadSize))
        _ = done(2)
        _ = selected(512, command.count, referenceCRC(command))
        _ = done(4)
        return selected(4096, offset, crc ?? referenceCRC(image.prefix(offset)))
    }
}

func writes(_ actions: [TransferAction]) -> [[UInt8]] {
    actions.compactMap { if case .writeControl(let bytes) = $0 { bytes } else { nil } }
}

/// All that goes out, when it is in one piece.
func packets(_ actions: [TransferAction]) -> Range<Int>? {
    let ranges = actions.compactMap { if case .sendPackets(_, let range, _) = $0 { range } else { nil } }
    guard let first = ranges.first, let last = ranges.last else { return nil }
    return zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound } ? first.lowerBound..<last.upperBound : nil
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
            driver.handle(.linkReady(payloadSize: 244))
                == [.writeControl([2, 17, 0]), .wait(.answer(.setReceiptInterval), .milliseconds(700))])
        #expect(driver.done(2) == [.writeControl([6, 1]), .wait(.answer(.select), .milliseconds(740))])
        #expect(writes(driver.selected(512, 0, 0)) == [[1, 1, 141, 0, 0, 0]])
        let initPacket = driver.done(1)
        #expect(initPacket.first == .sendPackets(.command, 0..<141, packetSize: 244))
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
        #expect(window == [.sendPackets(.data, 4096..<4096 + 14 * 244, packetSize: 244), .wait(.pause, .microseconds(90_000 + 3 * 61 * 50))])
    }

    /// In a longer packet the flash would lose them.
    @Test func theLastOddBytesGoAlone() {
        var driver = MachineDriver(imageSize: 4096 + 246)
        _ = driver.toImage(offset: 4096)
        _ = driver.done(4)
        #expect(driver.done(1).prefix(2) == [
            .sendPackets(.data, 4096..<4340, packetSize: 244), .sendPackets(.data, 4340..<4342, packetSize: 244),
        ])
    }

    @Test(arguments: [(20, 20), (23, 20), (244, 244), (247, 244), (253, 252)])
    func packetsAreWholeWords(payload: Int, expected: Int) {
        var driver = MachineDriver()
        _ = driver.toImage(payloadSize: payload, offset: 0)
        guard case .sendPackets(_, _, let size)? = driver.done(1).first else {
            Issue.record("no packets")
            return
        }
        #expect(size == expected)
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
        let select = slow.machine.handle(.notification([0x60, 6, 1] + little(UInt32(4096)) + little(UInt32(0)) + little(UInt32(0))), at: slow.now)
        #expect(writes(select) == [[4]])
        slow.now += .milliseconds(376)
        #expect(writes(slow.machine.handle(.notification([0x60, 4, 1]), at: slow.now)) == [createData(4096)])
        #expect((.milliseconds(170)...(.milliseconds(190))).contains(slow.machine.pacing.eraseTime))
    }

    @Test func aTinyPayloadIsRefused() {
        var driver = MachineDriver()
        #expect(failure(driver.handle(.linkReady(payloadSize: 19))) == .transfer(.payloadTooSmall(19)))
    }

    @Test func theInitPacketContinuesWhereItStopped() {
        var driver = MachineDriver()
        _ = driver.handle(.linkReady(payloadSize: 20))
        _ = driver.done(2)
        #expect(packets(driver.selected(512, 40, referenceCRC(driver.command.prefix(40)))) == 40..<141)
    }

    @Test func anotherInitPacketIsReplaced() {
        var driver = MachineDriver()
        _ = driver.handle(.linkReady(payloadSize: 244))
        _ = driver.done(2)
        #expect(writes(driver.selected(512, 141, 0x1234)) == [[1, 1, 141, 0, 0, 0]])
    }

    @Test func aKeptInitPacketIsExecutedAgainAndSentAnewWhenForgotten() {
        var driver = MachineDriver()
        _ = driver.handle(.linkReady(payloadSize: 244))
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
        #expect(writes(actions) == [[6, 2]], "13 packets give no receipt at an interval of 17")
        #expect(writes(driver.holds(8192, of: driver.image)) == [[4]])
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
        #expect(writes(driver.done(1)) == [[6, 2]], "what was executed is checked before going on")
        #expect(packets(driver.holds(8192, of: driver.image)) == 8192..<10_000)
    }

    @Test func aCompleteImageIsOnlyExecuted() {
        var driver = MachineDriver()
        #expect(writes(driver.toImage(offset: 10_000)) == [[4]])
        #expect(driver.done(4).last == .wait(.disconnection, .seconds(10)))
    }

    @Test func otherBytesCreateTheObjectAgain() {
        var driver = MachineDriver()
        #expect(writes(driver.toImage(offset: 5000, crc: 7)) == [createData(4096)])
        #expect(writes(driver.done(1)) == [[6, 2]])
        #expect(packets(driver.holds(4096, of: driver.image)) == 4096..<8192)
    }

    @Test func foreignExecutedBytesStartOverOnce() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 5000, crc: 7)
        _ = driver.done(1)
        let over = driver.selected(4096, 4096, 99)
        #expect(notices(over) == [.startedOver])
        #expect(writes(over) == [[1, 1, 141, 0, 0, 0]])
        _ = driver.done(1)
        _ = driver.holds(141, of: driver.command)
        _ = driver.done(4)
        #expect(failure(driver.selected(4096, 20_000, 1)) == .transfer(.foreignData))
    }

    @Test func anUnalignedOffsetIsNotContinued() {
        var driver = MachineDriver()
        #expect(writes(driver.toImage(offset: 4099)) == [createData(4096)])
    }

    /// Up to the packets of the first object.
    private func sending() -> MachineDriver {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        _ = driver.done(1)
        return driver
    }

    @Test func aMissingReceiptIsAskedForAndTheTailSentAgain() {
        var driver = sending()
        #expect(writes(driver.handle(.timedOut(.receipt))) == [[6, 2]])
        let before = driver.now
        let tail = driver.holds(2440, of: driver.image)
        #expect(driver.now - before >= .milliseconds(100), "at once it would meet the same full queue")
        #expect(notices(tail).contains(.objectSentAgain(.data, offset: 2440, attempt: 2)))
        #expect(packets(tail) == 2440..<4096, "the object is still open: no CREATE")
        #expect(writes(tail) == [[6, 2]])
        #expect(writes(driver.holds(4096, of: driver.image)) == [[4]])
    }

    @Test func aHoleCreatesTheObjectAgain() {
        var driver = sending()
        _ = driver.handle(.timedOut(.receipt))
        #expect(writes(driver.selected(4096, 3852, 5)) == [createData(4096)])
        #expect(packets(driver.done(1))?.lowerBound == 0)
    }

    /// Only what the unit says of itself counts as a loss.
    @Test(arguments: [(0, 0), (3852, 7), (4096, 7)] as [(Int, UInt32)])
    func anyOtherReceiptIsAskedAbout(offset: Int, crc: UInt32) {
        var driver = sending()
        let asked = driver.answer([0x60, 3, 1] + little(UInt32(offset)) + little(crc))
        #expect(writes(asked) == [[6, 2]] && notices(asked).isEmpty)
        #expect(writes(driver.holds(4096, of: driver.image)) == [[4]])
    }

    @Test func aRefusedPacketsReceiptIsAskedAbout() {
        var driver = sending()
        #expect(writes(driver.answer([0x60, 3, 3])) == [[6, 2]])
        #expect(writes(driver.holds(4096, of: driver.image)) == [[4]])
    }

    @Test func eightSetbacksWithoutAByteFail() {
        var driver = sending()
        _ = driver.handle(.timedOut(.receipt))
        for _ in 0..<7 {
            #expect(failure(driver.selected(4096, 4096, 5)) == nil)
            _ = driver.done(1)
            _ = driver.handle(.timedOut(.receipt))
        }
        #expect(failure(driver.selected(4096, 4096, 5)) == .transfer(.objectLost(.data, offset: 0, attempts: 8)))
        #expect(driver.handle(.disconnected).isEmpty, "a finished machine is silent")
    }

    @Test func aByteMoreRenewsThePatience() {
        var driver = sending()
        _ = driver.handle(.timedOut(.receipt))
        for packet in 1...15 { #expect(failure(driver.holds(packet * 244, of: driver.image)) == nil) }
    }

    /// The unit was asked twice, and the first answer came after the second question.
    @Test func anAnswerToAnOlderQuestionIsNotTheLastWord() {
        var driver = sending()
        _ = driver.handle(.timedOut(.receipt))
        _ = driver.handle(.timedOut(.answer(.select)))
        #expect(driver.holds(2440, of: driver.image).isEmpty, "another answer is on its way")
        #expect(writes(driver.holds(4096, of: driver.image)) == [[4]])

        var other = sending()
        _ = other.handle(.timedOut(.receipt))
        _ = other.handle(.timedOut(.answer(.select)))
        _ = other.holds(2440, of: other.image)
        #expect(packets(other.skippingPauses(other.handle(.timedOut(.answer(.select))))) == 2440..<4096, "none came")
    }

    @Test func staleAnswersAreIgnored() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        #expect(driver.receipt(0, of: driver.image).isEmpty)
        #expect(driver.done(4).isEmpty)
        #expect(packets(driver.done(1)) == 0..<4096)
        _ = driver.receipt(4096, of: driver.image)
        _ = driver.done(4)
        _ = driver.done(1)
        #expect(driver.receipt(4096, of: driver.image).isEmpty, "a receipt of the object before is late")
    }

    /// Slower after a loss, back after two clean objects, and more carefully where that led to the next loss.
    @Test func pacingRecovers() {
        var pacing = Pacing()
        pacing.noteLoss()
        #expect(pacing.level == 1 && pacing.eraseTime == .milliseconds(135))
        pacing.noteCleanObject()
        #expect(pacing.level == 1)
        pacing.noteCleanObject()
        #expect(pacing.level == 0)
        pacing.noteLoss()
        for _ in 0..<3 { pacing.noteCleanObject() }
        #expect(pacing.level == 1, "the step before was too early")
        pacing.noteCleanObject()
        #expect(pacing.level == 0)
        for _ in 0..<100 { pacing.noteLoss() }
        #expect(pacing.eraseTime < .seconds(1))
    }

    @Test func malformedAnswersFail() {
        var driver = MachineDriver()
        _ = driver.handle(.linkReady(payloadSize: 244))
        #expect(failure(driver.answer([0xFF])) == .transfer(.malformedAnswer(bytes: [0xFF])))
    }

    /// A flash that has not caught up refuses the erase that CREATE asks for as an invalid object.
    @Test func aBusyFlashIsWaitedFor() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        for _ in 0..<7 {
            let before = driver.now
            let refused = driver.answer([0x60, 1, 5])
            #expect(notices(refused) == [.flashBusy] && writes(refused) == [createData(4096)])
            #expect(driver.now - before >= .milliseconds(300))
        }
        var spent = driver
        #expect(failure(spent.answer([0x60, 1, 5])) == .refused(.create, .result(.invalidObject)))
        #expect(packets(driver.done(1)) == 0..<4096)
    }

    /// In the middle of a transfer they say that the unit stands elsewhere.
    @Test(arguments: [UInt8(3), 8]) func aRefusedCreateAsksWhereTheUnitStands(result: UInt8) {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 4096)
        _ = driver.done(4)
        let asked = driver.answer([0x60, 1, result])
        #expect(notices(asked) == [.askedAgain(.create)] && writes(asked) == [[6, 2]])
        #expect(writes(driver.holds(8192, of: driver.image)) == [[4]])
        #expect(writes(driver.done(4)) == [createData(1808)])
    }

    /// Progress is saved by executing the init packet again, and lost with the link otherwise.
    @Test func progressIsSavedOnLongTransfers() {
        var driver = MachineDriver(imageSize: 80_000)
        driver.machine = TransferMachine(initPacket: driver.command, image: driver.image, saveInterval: .seconds(5))
        _ = driver.toImage(offset: 0)
        _ = driver.done(1)
        driver.now += .seconds(6)
        _ = driver.receipt(4096, of: driver.image)
        #expect(writes(driver.done(4)) == [[6, 1]])
        #expect(writes(driver.holds(141, of: driver.command)) == [[4]])
        let before = driver.now
        let saved = driver.done(4)
        #expect(notices(saved) == [.progressSaved(4096)] && writes(saved) == [createData(4096)])
        #expect(driver.now - before >= .milliseconds(200), "the settings are written meanwhile")
        #expect(failure(driver.handle(.disconnected)) == .transfer(.linkLost(offset: 4096, of: 80_000, kept: 4096)))
    }

    @Test func nothingIsSavedAfterTheLastObject() {
        var driver = MachineDriver()
        driver.machine = TransferMachine(initPacket: driver.command, image: driver.image, saveInterval: .zero)
        _ = driver.toImage(offset: 10_000)
        #expect(driver.done(4) == [.progress(10_000), .wait(.disconnection, .seconds(10))])
    }

    @Test(arguments: [UInt8(0), 2, 4, 7, 0x0A, 0x33])
    func refusalsFail(result: UInt8) {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        #expect(failure(driver.answer([0x60, 1, result])) == .refused(.create, Refusal(result: result)))
    }

    @Test(arguments: Array(UInt8(2)...0x0D))
    func extendedErrorsFail(code: UInt8) {
        var driver = MachineDriver()
        _ = driver.handle(.linkReady(payloadSize: 244))
        _ = driver.done(2)
        _ = driver.selected(512, 141, referenceCRC(driver.command))
        #expect(failure(driver.answer([0x60, 4, 0x0B, code])) == .refused(.execute, Refusal(extended: code)))
    }

    @Test func smallObjectLimitsAreRefused() {
        var driver = MachineDriver()
        _ = driver.handle(.linkReady(payloadSize: 244))
        _ = driver.done(2)
        #expect(failure(driver.selected(100, 0, 0)) == .transfer(.objectLimitTooSmall(.command, limit: 100)))
        var other = MachineDriver()
        _ = other.handle(.linkReady(payloadSize: 244))
        _ = other.done(2)
        _ = other.selected(512, 141, referenceCRC(other.command))
        _ = other.done(4)
        #expect(failure(other.selected(0, 0, 0)) == .transfer(.objectLimitTooSmall(.data, limit: 0)))
    }

    @Test func aMissingAnswerAsksForTheStateMorePatientlyEachTime() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        let asked = driver.handle(.timedOut(.answer(.create)))
        #expect(notices(asked) == [.answerMissing(.create)])
        #expect(writes(asked) == [[6, 2]] && asked.last == .wait(.answer(.select), .milliseconds(1480)))
        #expect(driver.handle(.timedOut(.answer(.select))).last == .wait(.answer(.select), .milliseconds(2960)))
        #expect(driver.handle(.timedOut(.answer(.select))).last == .wait(.answer(.select), .milliseconds(5920)))
        #expect(failure(driver.handle(.timedOut(.answer(.select)))) == .transfer(.noAnswer(.select)))
    }

    @Test func aLostLinkSaysHowFarItGot() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 4096)
        #expect(failure(driver.handle(.disconnected)) == .transfer(.linkLost(offset: 4096, of: 10_000, kept: 4096)))
    }

    @Test func aLinkLostAfterTheLastExecuteIsSuccessToBeProved() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 10_000)
        guard case .done(let summary)? = driver.handle(.disconnected).first else {
            Issue.record("not done")
            return
        }
        #expect(!summary.isConfirmed)
    }

    @Test func aUnitThatDoesNotResetIsDoneWithANotice() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 10_000)
        _ = driver.done(4)
        #expect(notices(driver.handle(.timedOut(.disconnection))) == [.unitStaysConnected])
    }

    /// In the moment between its last answer and its reset a unit says that it has nothing: whatever is written then spoils the update.
    @Test func nothingIsWrittenAfterTheLastExecute() {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 8192)
        _ = driver.done(4)
        _ = driver.done(1)
        _ = driver.holds(10_000, of: driver.image)
        #expect(writes(driver.handle(.timedOut(.answer(.execute)))) == [[6, 2]])
        #expect(driver.selected(4096, 0, 0) == [.wait(.disconnection, .seconds(10))])
        var other = driver
        guard case .done(let summary)? = driver.handle(.disconnected).first else {
            Issue.record("not done")
            return
        }
        #expect(!summary.isConfirmed)
        #expect(failure(other.handle(.timedOut(.disconnection))) == .transfer(.noAnswer(.execute)))
    }

    /// EXECUTE is never answered, SELECT always.
    @Test func aUnitThatAnswersHalfIsGivenUp() {
        var driver = MachineDriver()
        var actions = driver.toImage(offset: 4096)
        for _ in 0..<3 {
            #expect(failure(actions) == nil)
            _ = driver.handle(.timedOut(.answer(.execute)))
            actions = driver.holds(4096, of: driver.image)
        }
        #expect(failure(driver.handle(.timedOut(.answer(.execute)))) == .transfer(.noAnswer(.execute)))
    }
}
