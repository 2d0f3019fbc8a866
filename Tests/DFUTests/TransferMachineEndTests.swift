import Support
import Testing

@testable import DFU

/// Silence, lost links and the last EXECUTE.
extension TransferMachineTests {
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

    @Test func aLinkLostBeforeTheFirstByteIsSaidSo() {
        let early = DFUError.transfer(.linkLost(offset: 0, of: 10_000, kept: 0)).diagnosis.message
        #expect(early == "the link was lost before a byte of the image was verified on the unit")
        let later = DFUError.transfer(.linkLost(offset: 4096, of: 10_000, kept: 0)).diagnosis.message
        #expect(later == "the link was lost after 4096 of 10000 bytes; the unit kept none of them and begins again")
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
