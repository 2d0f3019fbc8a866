import Bluetooth
import Foundation

/// A Frame: its Lua processor, its flash with files and bond, its sensors, and their wake-up times.
struct FrameModel: UnitModel {
    static let family = "frame"
    /// In bytes (bluetooth.c).
    static let largestMTU = 247

    enum Timer {
        case applicationReady
        /// The processor's work takes effect.
        case turn(FrameInterpreter.Turn)
        /// The end of the processor's wait with this number.
        case wake(Int)
        case answer(FrameAnswer)
        case watchdog

        var isWake: Bool { if case .wake = self { true } else { false } }
        var isWatchdog: Bool { if case .watchdog = self { true } else { false } }
    }

    let folder: UnitFolder
    let configuration: UnitConfiguration
    var timers = TimerQueue<Timer>()
    var firmware = FrameFirmware.v25_080
    var processor = Processor<FrameInterpreter>()
    var isFedInWait = false
    var hardware: FrameHardware
    var files: FrameFileSystem
    var bond = FrameBond()
    /// Until then the radio writes a new bond to the flash.
    var flashBusyUntil = Duration.zero
    /// When the chip began to run.
    var startedAt = Duration.zero
    var staysAwake = false
    /// The next start erases the bond.
    var unpairsAtStart = false
    /// The first Lua start after that, in firmware that does not require a bond.
    var formatsAtStart = false
    var wasBondedAtStart = false
    var dataPacketCount = 0
    var breakCount = 0

    /// Rails, FPGA image, camera and display settings (main.c has 0.42 s of fixed waits); then the unit advertises.
    private static let bootTime = Duration.milliseconds(1200)

    init(folder: UnitFolder, configuration: UnitConfiguration) {
        (self.folder, self.configuration) = (folder, configuration)
        hardware = FrameHardware(folder: folder)
        files = FrameFileSystem(folder: folder)
    }

    mutating func start(_ image: [UInt8], on unit: inout UnitPlatform) throws {
        firmware = FrameFirmware(version: ApplicationImage.versionText(in: image))
        try firmware.requirePlayed(in: folder.root.path)
        try folder.settleFlash(imageSize: image.count)
        files = FrameFileSystem(folder: folder, blockCount: FrameMemory.blockCount(imageSize: image.count))
        hardware = FrameHardware(folder: folder)
        VirtualDisplay.clear(folder.display)
        startedAt = unit.now
        staysAwake = false
        if try sleepsInCradle() { return unit.sleep() }
        bond = try folder.loadBond()
        wasBondedAtStart = bond.exists
        feedWatchdog(at: unit.now)
        timers.add(.applicationReady, at: unit.now + Self.bootTime)
    }

    mutating func stop(_ cause: UnitPlatform.StopCause) {
        processor.stop()
        timers.removeAll { _ in true }
        files.unmount()
        flashBusyUntil = .zero
    }

    var nextDeadline: Duration? { timers.nextDeadline }
    var isAtPrompt: Bool { processor.settled == .idle }

    mutating func advance(on unit: inout UnitPlatform) throws {
        switch timers.takeDue(at: unit.now) {
        case .applicationReady:
            unit.startRadio(as: .frame(address: unit.address, firmware: firmware, largestMTU: configuration.largestMTU))
            try startInterpreter(on: &unit)
        case .turn(let turn): try finish(turn, on: &unit)
        case .wake(let number): if number == processor.waitCount { try runProcessor(on: &unit) }
        case .answer(let answer): try deliver(answer, on: &unit)
        case .watchdog: unit.reset(.crash)
        case nil: break
        }
    }

    /// One write is one message: data, a break, or a command, which waits for the prompt.
    mutating func write(_ value: [UInt8], to characteristic: AttributeID, on unit: inout UnitPlatform) throws -> UInt8? {
        switch value.first {
        case 0x01:
            dataPacketCount += 1
            switch unit.faults.dataPacket(dataPacketCount) {
            case .crash: unit.reset(.crash)
            case .loss: break
            case .deafness, nil: try signal(.data(Array(value.dropFirst())), on: &unit)
            }
        case 0x03:
            breakCount += 1
            if !unit.faults.swallowsBreak(breakCount) { try signal(.breakSignal, on: &unit) }
        case _?: try signal(.command(value), on: &unit)
        case nil: break
        }
        return nil
    }
}
