import Bluetooth
import Support

/// What every unit's model builds on: clock, power, radio and state folder.
package struct UnitPlatform {
    /// Asleep is off until something wakes the unit.
    enum Mode { case off, asleep, booting, application, bootloader }

    package enum ResetCause { case powerOn, software, crash }

    /// What ends the application.
    package enum StopCause { case reset, sleep, powerLoss }

    enum Timer {
        case powerOn
        /// With the ``stopCount`` of their run.
        case boot(Int), powerCut(Int)
        case linkUp(requestedMTU: Int, reply: LinkReply)
        /// The central's side of a link that the unit no longer serves.
        case linkLost(VirtualLink)
        case radioChanged
        case advertise
        case late(HostPacket, VirtualLink)
        case hostIdle
    }

    let folder: UnitFolder
    package let address: DeviceAddress
    let design: UnitDesign
    let air: VirtualAir
    let place: VirtualAir.Place
    let events: Inbox<UnitEvent>

    var timers = TimerQueue<Timer>()
    var faults: any UnitFaults
    var generator: SeededGenerator
    /// Packets received and flash words written, over the unit's whole run.
    var packetCount = 0
    private(set) var flashWordCount = 0
    /// Of those that its bootloader writes.
    var firmwareWordCount = 0

    var mode = Mode.off
    /// How often the chip stopped: events of an earlier run are ignored.
    var stopCount = 0
    var stopCause = StopCause.powerLoss
    var resetCause = ResetCause.powerOn
    /// Survives a reset: the boot goes to the bootloader (GPREGRET).
    var wantsBootloader = false
    /// Present while ``mode`` is `bootloader`; mutated in place, because it holds the flash.
    var bootloader: SecureBootloader?

    /// The unit's appearance; `nil` while its radio is off.
    var peripheral: PeripheralProfile?
    var link: ActiveLink?
    var host = HostTask()
    /// ATT payload of the last MTU exchange, in bytes. It outlives the link; 0 before the first since the chip started.
    var exchangedPayload = 0

    init(folder: UnitFolder, address: DeviceAddress, design: UnitDesign, air: VirtualAir, events: Inbox<UnitEvent>) {
        (self.folder, self.address, self.design, self.air, self.events) = (folder, address, design, air, events)
        place = air.join()
        faults = design.configuration.faults
        generator = SeededGenerator(seed: faults.seed)
    }

    package var now: Duration { air.time.clock.now.offset }

    mutating func after(_ delay: Duration, _ timer: Timer) { timers.add(timer, at: now + delay) }

    /// The unit begins to write this many words to its flash.
    /// - Returns: how many are written before power fails; `nil` if it does not.
    mutating func countFlashWords(_ count: Int) -> Int? {
        let first = flashWordCount + 1
        let cut = faults.cut(words: first..<first + count)
        flashWordCount = cut ?? flashWordCount + count
        return cut.map { $0 - first }
    }

    /// Of the flash that its bootloader writes.
    var firmwarePower: BootloaderPower { BootloaderPower(words: firmwareWordCount) { [faults] in faults.cut(firmwareWords: $0) } }

    package mutating func startRadio(as profile: PeripheralProfile) {
        mode = .application
        peripheral = profile
        publish()
    }

    var isAdvertising: Bool { peripheral != nil && link == nil && !host.isBusy }

    func publish() {
        let shown = isAdvertising ? peripheral : nil
        air.publish(
            shown.map {
                Advertising(sightings: $0.sightings, largestMTU: $0.mtu(requested: .max), table: $0.table,
                    requestsSecurity: $0.requestsSecurity, unit: events)
            }, from: place)
    }
}

extension UnitPlatform {
    /// From a reset to the bootloader's decision, or without a bootloader to the application.
    private static let startTime = Duration.milliseconds(150)
    private static let powerCut = Duration.seconds(2)

    mutating func powerOn() {
        guard mode == .off || mode == .asleep else { return }
        resetCause = .powerOn
        scheduleBoot()
    }

    /// RAM is lost, and the link ends silently.
    mutating func losePower() {
        stop(.powerLoss)
        wantsBootloader = false
    }

    mutating func cutPower() {
        losePower()
        after(Self.powerCut, .powerOn)
    }

    mutating func cutPower(after delay: Duration) { after(delay, .powerCut(stopCount)) }

    /// Without disconnecting: the host notices after the supervision timeout.
    /// - Parameter cause: `nil` keeps the last one, as a bootloader does.
    package mutating func reset(_ cause: ResetCause?, intoBootloader: Bool = false) {
        stop(.reset)
        if let cause { resetCause = cause }
        wantsBootloader = intoBootloader
        scheduleBoot()
    }

    /// Switches off immediately, without disconnecting, until ``wake()``.
    mutating func sleep() {
        stop(.sleep)
        mode = .asleep
    }

    /// A sleeping unit starts from scratch.
    mutating func wake() {
        if mode == .asleep { after(.zero, .powerOn) }
    }

    private mutating func scheduleBoot() {
        mode = .booting
        after(Self.startTime, .boot(stopCount))
    }

    private mutating func stop(_ cause: StopCause) {
        mode = .off
        stopCount += 1
        stopCause = cause
        exchangedPayload = 0
        bootloader = nil
        peripheral = nil
        dropLink()
        host = HostTask()
        publish()
    }
}
