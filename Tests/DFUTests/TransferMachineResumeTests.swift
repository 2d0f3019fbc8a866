import TestSupport
import Testing

@testable import DFU

/// What the unit holds already.
extension TransferMachineTests {
    @Test(arguments: [4, 8, 40]) func theInitPacketContinuesWhereItStopped(offset: Int) {
        var driver = MachineDriver()
        _ = driver.handle(.linkReady(payloadSize: 20))
        _ = driver.done(2)
        #expect(packets(driver.selected(512, offset, referenceCRC(driver.command.prefix(offset)))) == offset..<141)
    }

    @Test(arguments: [5, 10, 42]) func anInitPacketThatStoppedWithinAWordIsReplaced(offset: Int) {
        var driver = MachineDriver()
        _ = driver.handle(.linkReady(payloadSize: 20))
        _ = driver.done(2)
        #expect(writes(driver.selected(512, offset, referenceCRC(driver.command.prefix(offset)))) == [[1, 1, 141, 0, 0, 0]])
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

    /// The kept init packet was executed again, so the settings are being written: CREATE behind that leaves the packets no room.
    @Test(arguments: [(8192, true), (5000, false)]) func createWaitsForTheSettings(offset: Int, isOurs: Bool) {
        var driver = MachineDriver()
        var actions = driver.toImage(offset: offset, crc: isOurs ? nil : 7)
        if isOurs { actions = driver.answer([0x60, 4, 8]) }
        #expect(writes(actions) == [createData(isOurs ? 1808 : 4096)])
        #expect(driver.now >= .milliseconds(188))
    }

    @Test func aCompleteImageIsOnlyExecuted() {
        var driver = MachineDriver()
        #expect(writes(driver.toImage(offset: 10_000)) == [[4]])
        #expect(driver.done(4).last == .wait(.disconnection, .seconds(10)))
    }

    @Test func aCompleteImageThatIsNotExecutedIsSentAnew() {
        var driver = MachineDriver()
        #expect(writes(driver.toImage(offset: 10_000)) == [[4]])
        let over = driver.answer([0x60, 4, 8])
        #expect(notices(over) == [.startedOver] && writes(over) == [[1, 1, 141, 0, 0, 0]])
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
}
