import TestSupport
import Testing

@testable import DFU

/// Packets and receipts that are lost or late.
extension TransferMachineTests {
    /// Up to the packets of the first object.
    func sending() -> MachineDriver {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        _ = driver.done(1)
        return driver
    }

    /// Up to the question about the packet that is risked.
    private func risking() -> (MachineDriver, [TransferAction]) {
        var driver = MachineDriver()
        _ = driver.toImage(offset: 0)
        var actions = driver.handle(.notification([0x60, 1, 1]))
        while case .wait(.pause, let duration)? = actions.last {
            driver.now += duration
            actions = driver.machine.handle(.timedOut(.pause), at: driver.now)
        }
        return (driver, actions)
    }

    @Test(arguments: [0, 2440]) func aMissingReceiptIsAskedForAndTheTailSentAgain(arrived: Int) {
        var driver = sending()
        #expect(writes(driver.handle(.timedOut(.receipt))) == [[6, 2]])
        let before = driver.now
        let tail = driver.holds(arrived, of: driver.image)
        #expect(driver.now - before >= .milliseconds(100), "at once it would meet the same full queue")
        #expect(notices(tail).contains(.objectSentAgain(.data, offset: arrived, attempt: 2)))
        #expect(packets(tail) == arrived..<4096, "the object is still open: no CREATE")
        #expect(writes(tail) == [[6, 2]])
        #expect(writes(driver.holds(4096, of: driver.image)) == [[4]])
    }

    /// A receipt that is missing a quarter longer than the last one took is asked about, and each after 1.5 s. One that comes sooner makes
    /// the next wait a little shorter.
    @Test(arguments: [(80, 120, 110), (2000, 1500, 1500)])
    func aReceiptIsExpectedWhenTheLastOneCame(took: Int, patience: Int, later: Int) {
        var driver = MachineDriver(imageSize: 20_000)
        _ = driver.toImage(offset: 0)
        _ = driver.done(1)
        driver.now += .milliseconds(took - 10)
        _ = driver.receipt(4096, of: driver.image)
        _ = driver.done(4)
        #expect(driver.done(1).last == .wait(.receipt, .milliseconds(patience)))
        _ = driver.receipt(8192, of: driver.image)
        _ = driver.done(4)
        #expect(driver.done(1).last == .wait(.receipt, .milliseconds(later)))
    }

    /// A question comes behind packets that take their time: its answer may take four times as long as a receipt did.
    @Test func anAnswerBehindPacketsIsAwaitedLonger() {
        var driver = sending()
        for end in [4096, 8192] {
            driver.now += .milliseconds(90)
            _ = driver.receipt(end, of: driver.image)
            _ = driver.done(4)
            if end == 4096 { _ = driver.done(1) }
        }
        #expect(driver.done(1).last == .wait(.answer(.select), .milliseconds(700 + 4 * 100)))
    }

    /// Nothing has told yet how long packets take: two round trips each over a usual link, as at 256 bytes a second over a slow one.
    @Test(arguments: [(244, 10, 0.2...2), (20, 10, 1...5), (20, 400, 5...11)] as [(Int, Int, ClosedRange<Double>)])
    func theFirstAnswerBehindPacketsIsNotAwaitedLong(payload: Int, roundTrip: Int, seconds: ClosedRange<Double>) throws {
        var driver = MachineDriver(imageSize: 2440)
        driver.roundTrip = .milliseconds(roundTrip)
        _ = driver.toImage(payloadSize: payload, offset: 0)
        guard case .wait(.answer(.select), let wait)? = driver.done(1).last else { return #expect(Bool(false), "no question") }
        #expect(seconds.contains(wait / .seconds(1)), "\(wait)")
    }

    /// It may answer the first question, which was late: then it comes right after the second.
    @Test func aRoundTripIsNotMeasuredByTheAnswerToAnEarlierQuestion() {
        var driver = MachineDriver()
        _ = driver.handle(.linkReady(payloadSize: 244))
        driver.now += .milliseconds(700)
        #expect(writes(driver.handle(.timedOut(.answer(.setReceiptInterval)))) == [[2, 17, 0]])
        #expect(driver.done(2).last == .wait(.answer(.select), .milliseconds(700 + 4 * 100)))
    }

    /// A packet that has passed ends the silence: the next answer is not awaited twice as long.
    @Test func aPacketThatHasPassedEndsTheSilence() throws {
        func wait(isLate: Bool) throws -> TransferAction {
            var (driver, _) = risking()
            if isLate { #expect(writes(driver.handle(.timedOut(.answer(.select)))) == [[6, 2]]) }
            let passed = 15 * 244
            _ = driver.holds(passed, of: driver.image)
            return try #require(driver.handle(.timedOut(.receipt)).last)
        }
        #expect(try wait(isLate: true) == wait(isLate: false))
    }

    /// One packet goes out behind those that find room while the page is erased: that it has gone says nothing.
    @Test func aRiskedPacketThatIsLostGoesAgain() {
        var (driver, actions) = risking()
        #expect(writes(actions) == [[6, 2]], "15 packets are out, and the unit is asked")
        let arrived = 14 * 244
        let answer = [0x60, 6, 1] + little(UInt32(4096)) + little(UInt32(arrived)) + little(referenceCRC(driver.image.prefix(arrived)))
        #expect(notices(driver.handle(.notification(answer))).contains(.objectSentAgain(.data, offset: arrived, attempt: 2)))
    }

    @Test func aHoleCreatesTheObjectAgain() {
        var driver = sending()
        _ = driver.handle(.timedOut(.receipt))
        #expect(writes(driver.selected(4096, 3852, 5)) == [createData(4096)])
        #expect(packets(driver.done(1))?.lowerBound == 0)
    }

    /// Bytes of the image, but not what an object can hold that began at 4096 and was sent to 8192.
    @Test(arguments: [0, 2048, 12_288]) func whatTheObjectCannotHoldCreatesItAgain(offset: Int) {
        var driver = MachineDriver(imageSize: 20_000)
        _ = driver.toImage(offset: 0)
        _ = driver.done(1)
        _ = driver.receipt(4096, of: driver.image)
        _ = driver.done(4)
        _ = driver.done(1)
        _ = driver.handle(.timedOut(.receipt))
        #expect(writes(driver.holds(offset, of: driver.image)) == [createData(4096)])
        #expect(packets(driver.done(1))?.lowerBound == 4096)
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

    @Test func aByteMoreEndsTheSetbacks() {
        var driver = sending()
        _ = driver.handle(.timedOut(.receipt))
        var slowed = 0
        for packet in 1...15 {
            let actions = driver.holds(packet * 244, of: driver.image)
            #expect(failure(actions) == nil)
            slowed += notices(actions).count { if case .pacingSlowed = $0 { true } else { false } }
        }
        #expect(slowed == 5 && driver.machine.pacing.level == 5, "the slowest pace is told once")
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
        for _ in 0..<3 { pacing.noteCleanObject() }
        pacing.noteLoss()
        for _ in 0..<4 { pacing.noteCleanObject() }
        #expect(pacing.level == 0, "the step before was not to blame")
    }

    /// As the pauses grow, fewer packets go out before the page is erased.
    @Test func eachLossSlowsAndNarrows() {
        var pacing = Pacing()
        var (rests, windows) = ([Duration](), [Int]())
        for _ in 0..<7 {
            rests.append(pacing.restTime)
            windows.append(pacing.window)
            pacing.noteLoss(of: 17)
        }
        #expect(rests == [100, 150, 225, 340, 510, 760, 760].map { .milliseconds($0) })
        #expect(windows == [14, 12, 10, 8, 6, 4, 4])
    }

    /// What is lost at a pace that has held for four objects was lost on the air; the next loss counts.
    @Test func onePassingLossDoesNotSlowAProvenPace() {
        for (clean, level) in [(3, 1), (4, 0)] {
            var pacing = Pacing()
            for _ in 0..<clean { pacing.noteCleanObject() }
            pacing.noteLoss()
            #expect(pacing.level == level)
            pacing.noteLoss()
            #expect(pacing.level == level + 1)
        }
    }

    /// At 20 bytes an object has 205 packets: one of them is lost more often than not on an air that loses one of 250.
    @Test func manyPacketsAreForgivenMoreLosses() {
        var pacing = Pacing()
        pacing.packetsPerObject = 205
        for level in 1...2 {
            pacing.noteLoss()
            #expect(pacing.level == level)
        }
        for _ in 0..<8 { pacing.noteLoss() }
        #expect(pacing.level == 2, "the queue has room at this pace")
        pacing.noteLoss()
        #expect(pacing.level == 3, "so many in a row are the queue's")
        pacing.noteLoss(of: 5)
        #expect(pacing.level == 4, "so are so many of one object")
        for _ in 0..<3 { pacing.noteCleanObject() }
        #expect(pacing.level == 1, "one object shows what twelve of long packets show")
        pacing.noteCleanObject()
        pacing.noteCleanObject()
        for _ in 0..<8 { pacing.noteLoss() }
        #expect(pacing.level == 0)
    }

    /// At one packet an event an object of 205 takes three seconds: once packets are lost, a hole is found before its end.
    @Test(arguments: [(20, false, 1), (20, true, 3), (244, true, 1)]) func aLongObjectIsAskedAboutMeanwhile(
        payload: Int, hasLost: Bool, questions: Int
    ) {
        var driver = MachineDriver()
        _ = driver.toImage(payloadSize: payload, offset: 0)
        driver.machine.summary.losses = hasLost ? 1 : 0
        var actions = driver.handle(.notification([0x60, 1, 1]))
        var (sent, asked) = (0, 0)
        while true {
            for case .sendPackets(_, let packets) in actions {
                driver.now += .milliseconds(15 * packets.count)
                sent = packets.last?.upperBound ?? sent
            }
            if case .asking = driver.machine.state {
                asked += 1
                let state = little(UInt32(sent)) + little(referenceCRC(driver.image.prefix(sent)))
                actions = driver.machine.handle(.notification([0x60, 6, 1] + little(UInt32(4096)) + state), at: driver.now)
            } else if case .wait(.pause, let duration)? = actions.last {
                driver.now += duration
                actions = driver.machine.handle(.timedOut(.pause), at: driver.now)
            } else {
                break
            }
        }
        #expect(sent == 4096)
        #expect(asked == questions, "the first is about the packet that was risked")
    }

    /// Packets that never arrive are another matter: the bootloader may have no buffer left.
    @Test(arguments: [(20, 24), (0, 7)]) func shortPacketsMayBeLostMoreOften(arrived: Int, allowed: Int) {
        var driver = MachineDriver()
        _ = driver.toImage(payloadSize: 23, offset: 0)
        _ = driver.done(1)
        _ = driver.handle(.timedOut(.receipt))
        for _ in 0..<allowed {
            #expect(failure(driver.selected(4096, arrived, 5)) == nil)
            _ = driver.done(1)
            _ = driver.handle(.timedOut(.receipt))
        }
        #expect(failure(driver.selected(4096, arrived, 5)) == .transfer(.objectLost(.data, offset: 0, attempts: allowed + 1)))
    }

    /// One answer that hung does not slow all that follows without end.
    @Test func aSlowAnswerSlowsThreefoldAtMost() {
        var pacing = Pacing()
        pacing.measure(settingsTime: .seconds(60))
        #expect(pacing.eraseTime == .milliseconds(270))
        pacing.measure(settingsTime: .milliseconds(1))
        #expect(pacing.eraseTime == .milliseconds(90))
    }
}
