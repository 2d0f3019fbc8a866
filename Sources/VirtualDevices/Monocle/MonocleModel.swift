import Bluetooth

/// A Monocle: its MicroPython processor, its FPGA, its touch pads, and their wake-up times.
struct MonocleModel: UnitModel {
    static let family = "monocle"
    /// In bytes (main.c).
    static let largestMTU = 256

    enum Timer {
        case applicationReady
        /// The processor's work takes effect.
        case turn(MonocleInterpreter.Turn)
        /// The end of the processor's wait with this number.
        case wake(Int)
        case answer(number: UInt16, [UInt8])
        case sleepsIfCharging
        case release(UserInput.Pad)

        var isWake: Bool { if case .wake = self { true } else { false } }
        var isRelease: Bool { if case .release = self { true } else { false } }

        func answers(_ request: UInt16) -> Bool {
            if case .answer(request, _) = self { true } else { false }
        }
    }

    let folder: UnitFolder
    let configuration: UnitConfiguration
    var timers = TimerQueue<Timer>()
    var hardware: MonocleHardware
    var processor = Processor<MonocleInterpreter>()
    var startedAt = Duration.zero
    /// 0x1C resets once without main.py.
    var isSafeMode = false
    /// Until then the serial flash, shared by FPGA and files, is erasing.
    var flashBusyUntil = Duration.zero
    var preventsSleep = false
    var dataPacketCount = 0
    /// Touched pads: a reset does not lift a finger.
    var touched: Set<UserInput.Pad> = []

    /// Rails 0.2 s, touch 1 s, FPGA 0.2 s, camera and display settings (main.c); then the unit advertises and Python starts.
    private static let bootTime = Duration.milliseconds(1600)
    /// How often the firmware checks whether the unit charges (monocle-critical.c).
    private static let chargingPoll = Duration.milliseconds(500)
    private static let tapTime = Duration.milliseconds(100)

    init(folder: UnitFolder, configuration: UnitConfiguration) throws {
        (self.folder, self.configuration) = (folder, configuration)
        hardware = try MonocleHardware(folder: folder, fpgaVersions: configuration.fpgaVersions)
    }

    mutating func start(_ image: [UInt8], on unit: inout UnitPlatform) throws {
        hardware = try MonocleHardware(folder: folder, fpgaVersions: configuration.fpgaVersions)
        VirtualDisplay.clear(folder.display)
        hardware.firmwareVersion = ApplicationImage.versionText(in: image)
        timers.add(.applicationReady, at: unit.now + Self.bootTime)
        sleepIfCharging(on: &unit)
    }

    mutating func stop(_ cause: UnitPlatform.StopCause) {
        processor.stop()
        timers.removeAll { !$0.isRelease }
        preventsSleep = false
        flashBusyUntil = .zero
        if cause == .powerLoss { isSafeMode = false }
    }

    var nextDeadline: Duration? { timers.nextDeadline }
    var isAtPrompt: Bool { processor.settled == .idle }

    mutating func advance(on unit: inout UnitPlatform) throws {
        switch timers.takeDue(at: unit.now) {
        case .applicationReady: try startApplication(on: &unit)
        case .turn(let turn): try finish(turn, on: &unit)
        case .wake(let number): if number == processor.waitCount { try wakeProcessor(on: &unit) }
        case .answer(let number, let payload): try signal(.answer(number: number, payload), on: &unit)
        case .sleepsIfCharging: sleepIfCharging(on: &unit)
        case .release(let pad): touched.remove(pad)
        case nil: break
        }
    }

    /// The radio is up and Python begins: a host may connect before the file system is mounted.
    private mutating func startApplication(on unit: inout UnitPlatform) throws {
        startedAt = unit.now
        unit.startRadio(
            as: .monocle(address: unit.address, largestMTU: configuration.largestMTU, pace: configuration.linkPace))
        try startInterpreter(on: &unit)
    }

    /// A charging unit switches everything off at any moment.
    private mutating func sleepIfCharging(on unit: inout UnitPlatform) {
        if hardware.identity.isCharging, !preventsSleep { return unit.sleep() }
        timers.add(.sleepsIfCharging, at: unit.now + Self.chargingPoll)
    }

    mutating func write(_ value: [UInt8], to characteristic: AttributeID, on unit: inout UnitPlatform) throws -> UInt8? {
        if characteristic == MonocleAttributes.replReceive {
            try signal(.terminal(value), on: &unit)
        } else if characteristic == MonocleAttributes.dataReceive {
            dataPacketCount += 1
            let fault = unit.faults.dataPacket(dataPacketCount)
            if fault == .deafness { processor.add(.deafness) }
            if fault != .loss { try signal(.data(value), on: &unit) }
        }
        return nil
    }

    mutating func radioChanged(on unit: inout UnitPlatform) throws { try wakeProcessor(on: &unit) }

    mutating func notificationSent(on unit: inout UnitPlatform) throws { try refill(on: &unit) }

    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws {
        switch input {
        case .tap(let pad):
            try press(pad, on: &unit)
            timers.add(.release(pad), at: unit.now + Self.tapTime)
        case .press(let pad): try press(pad, on: &unit)
        case .release(let pad): touched.remove(pad)
        case .dock, .undock, .unpair, .cut, .surroundings: break
        }
    }

    /// The callback comes when the pad is touched; only `touch.state` shows the release. A touch wakes a sleeping unit.
    private mutating func press(_ pad: UserInput.Pad, on unit: inout UnitPlatform) throws {
        guard touched.insert(pad).inserted else { return }
        unit.wake()
        try signal(.touch(touchedBits), on: &unit)
    }

    /// 1 pad A, 2 pad B, 3 both.
    var touchedBits: UInt8 { touched.reduce(0) { $0 | ($1 == .A ? 1 : 2) } }
}
