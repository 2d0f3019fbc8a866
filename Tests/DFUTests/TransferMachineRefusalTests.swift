import Support
import TestSupport
import Testing

@testable import DFU

/// What a unit refuses, and answers that are none.
extension TransferMachineTests {
    @Test func aTinyPayloadIsRefused() {
        var driver = MachineDriver()
        #expect(failure(driver.handle(.linkReady(payloadSize: 19))) == .transfer(.payloadTooSmall(19)))
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

    @Test func aFlashThatStaysBusyIsNotCalledADamagedPackage() {
        let busy = DFUError.refused(.create, .result(.invalidObject)).diagnosis
        #expect(busy.code == "DFU-0105" && busy.message.contains("flash") && busy.remedy.contains("power-cycle"))
        #expect(DFUError.refused(.execute, .result(.invalidObject)).diagnosis.message.contains("not valid"))
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
}
