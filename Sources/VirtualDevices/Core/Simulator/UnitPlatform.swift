import Bluetooth
import Support

/// What every unit's model stands on: the clock, the power, the radio and the state folder.
package struct UnitPlatform {
    enum Mode {
        case off
        /// Off until something wakes it.
        case asleep
        case booting
        case application
        case bootloader
    }

    package enum ResetCause { case powerOn, software, crash }

    /// What ends the application.
    package enum StopCause { case reset, sleep, powerLoss }

    enum Timer {
        case powerOn
        /// - Parameter number: of the reset that it belongs to.
        case boot(number: Int)
        /// - Parameter number: of the run that it ends.
        case powerCut(number: Int)
        case linkUp(requestedMTU: Int, reply: LinkReply)
        /// The central's side of a link that the unit no longer serves.
        case linkLost(VirtualLink)
        case radioChanged
        case advertise
        case late(HostPacket, VirtualLink)
    }

    let folder: UnitFolder
    package let address: DeviceAddress
    let design: UnitDesign
    let air: VirtualAir
    let place: VirtualAir.Place
    let events: Inbox<UnitEvent>

    var timers = TimerQueue<Timer>()
    var faults: LinkFaults

    var mode = Mode.off
    /// Counts the times that the chip stopped: what belongs to an earlier run is ignored.
    var stopCount = 0
    var stopCause = StopCause.powerLoss
    var resetCause = ResetCause.powerOn
    /// Survives a reset: the boot goes to the bootloader (GPREGRET).
    var wantsBootloader = false
    /// There while ``mode`` is `bootloader`; mutated in place, as it holds the flash.
    var bootloader: SecureBootloader?

    /// How the unit shows itself; `nil` while its radio is off.
    var peripheral: PeripheralProfile?
    var link: ActiveLink?
    /// ATT payload of the last MTU exchange since the chip started, in bytes; 0 before the first. It outlives the link.
    var exchangedPayload = 0

    init(folder: UnitFolder, address: DeviceAddress, design: UnitDesign, air: VirtualAir, events: Inbox<UnitEvent>) {
        self.folder = folder
        self.address = address
        self.design = design
        self.air = air
        place = air.join()
        self.events = events
        faults = LinkFaults(design.link.faults)
    }

    package var now: Duration { air.time.clock.now.offset }

    mutating func after(_ delay: Duration, _ timer: Timer) { timers.add(timer, at: now + delay) }
}
