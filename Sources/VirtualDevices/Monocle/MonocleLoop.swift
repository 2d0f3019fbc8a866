import Bluetooth
import Foundation
import Support

/// One virtual Monocle's whole state, owned by its loop: power, mode, link, timers.
struct MonocleLoop {
    enum Mode {
        case off
        case booting
        case application
        case bootloader
    }

    enum Timer {
        case powerOn
        case bootDone
        case applicationReady
        case linkUp(requestedMTU: Int, reply: Inbox<Result<VirtualLink, LinkError>>)
        /// The central's side of a link that the unit no longer serves.
        case linkLost(VirtualLink)
        case advertise
        /// What the processor did in a turn takes effect.
        case turn(Interpreter.Turn)
        /// The end of the processor's wait with this number.
        case wake(Int)
        case answer(number: UInt16, status: UInt8, [UInt8])
        case sleepsIfCharging
        case late(HostPacket, VirtualLink)
        case release(HandEvent.Pad)

        var isWake: Bool { if case .wake = self { true } else { false } }

        func answers(_ request: UInt16) -> Bool {
            if case .answer(request, _, _) = self { true } else { false }
        }
    }

    let folder: UnitFolder
    let configuration: MonocleConfiguration
    let air: VirtualAir
    let events: Inbox<UnitEvent>
    let address: DeviceAddress

    enum ResetCause: String { case powerOn = "POWERON", software = "SOFTWARE_RESET", crashed = "CRASHED" }

    var mode = Mode.off
    /// There while ``mode`` is `bootloader`; mutated in place, as it holds the flash.
    var bootloader: SecureBootloader?
    /// Set by the application before a reset: the boot goes to the bootloader (GPREGRET).
    var wantsBootloader = false
    /// 0x1C resets with main.py left out, once.
    var isSafeMode = false
    /// It charges, or was told to sleep: everything is off until a touch.
    var isAsleep = false
    /// Counts resets: what belongs to an earlier one is ignored.
    var generation = 0
    var timers: [(at: Duration, generation: Int, timer: Timer)] = []
    var link: ActiveLink?
    /// Its advertisements are repeated to whoever discovers.
    private var isAdvertisingRepeatedly = false
    var hardware: MonocleHardware
    var processor = Processor()
    /// When the chip began to run, and why.
    var resetAt = Duration.zero
    var resetCause = ResetCause.powerOn
    /// ATT payload of the last MTU exchange since the reset; 0 before the first.
    var exchangedPayload = 0
    /// The serial flash erases until then; FPGA and files share it.
    var flashBusyUntil = Duration.zero
    var preventsSleep = false
    var faults: FaultPlan
    var generator: SeededGenerator
    var packetCount = 0
    var notificationCount = 0
    /// Packets on the data characteristic alone.
    var dataPacketCount = 0
    var dataNotificationCount = 0
    /// Pads with a finger on them: a reset does not lift it.
    var touched: Set<HandEvent.Pad> = []

    init(
        folder: UnitFolder, configuration: MonocleConfiguration, air: VirtualAir, events: Inbox<UnitEvent>,
        address: DeviceAddress
    ) throws {
        self.folder = folder
        self.configuration = configuration
        self.air = air
        self.events = events
        self.address = address
        faults = configuration.faults
        generator = SeededGenerator(seed: configuration.faults.seed)
        hardware = try MonocleHardware(folder: folder, fpgaVersions: configuration.fpgaVersions)
    }

    var now: Duration { air.time.clock.now.offset }

    var nextDeadline: Duration? {
        var deadline = timers.map(\.at).min()
        if let event = link?.nextEvent { deadline = min(deadline ?? event, event) }
        if let next = bootloader?.nextDeadline {
            deadline = min(deadline ?? next, next)
        }
        return deadline
    }

    mutating func after(_ delay: Duration, _ timer: Timer) {
        timers.append((now + delay, generation, timer))
    }

    mutating func handle(_ event: UnitEvent) throws {
        switch event {
        case .connect(let mtu, let reply):
            if link == nil, isAdvertising {
                after(configuration.linkSetUp, .linkUp(requestedMTU: mtu, reply: reply))
            } else {
                reply.deliver(.failure(.unavailable("the device does not advertise")))
            }
        case .linkActivity:
            scheduleConnectionEvent()
        case .discoveryStarted:
            guard !isAdvertisingRepeatedly else { return }
            isAdvertisingRepeatedly = true
            after(.zero, .advertise)
        case .hand(.tap(let pad)):
            try press(pad)
            after(.milliseconds(100), .release(pad))
        case .hand(.press(let pad)):
            try press(pad)
        case .hand(.release(let pad)):
            touched.remove(pad)
        case .hand(.cut(let cut)):
            perform(cut)
        }
    }

    /// The callback comes with the finger; that it leaves, only `touch.state` tells.
    /// A touch wakes a unit that sleeps.
    private mutating func press(_ pad: HandEvent.Pad) throws {
        guard touched.insert(pad).inserted else { return }
        if isAsleep {
            isAsleep = false
            resetCause = .powerOn
            after(.zero, .powerOn)
        }
        try signal(.touch(touched.reduce(0) { $0 | $1.bit }))
    }

    /// Does everything that is due.
    mutating func advance() throws {
        let now = now
        while let index = timers.indices.filter({ timers[$0].at <= now }).min(by: { timers[$0].at < timers[$1].at }) {
            let (_, generation, timer) = timers.remove(at: index)
            try fire(timer, isStale: generation != self.generation)
        }
        if let event = link?.nextEvent, event <= now { try connectionEvent() }
        try settleBootloader()
    }

    private mutating func fire(_ timer: Timer, isStale: Bool) throws {
        switch timer {
        case .powerOn: powerOn()
        case .bootDone: if !isStale { try boot() }
        case .applicationReady: if !isStale { try startApplication() }
        case .linkUp(let mtu, let reply): try linkUp(mtu, reply)
        case .linkLost(let link): link.finish(VirtualLink.supervisionTimeout)
        case .advertise:
            isAdvertisingRepeatedly = air.advertise(events)
            if isAdvertisingRepeatedly { after(.milliseconds(100), .advertise) }
        case .turn(let turn): if !isStale { try finish(turn) }
        case .wake(let number): if !isStale, number == processor.waitCount { try wakeProcessor() }
        case .answer(let number, let status, let payload):
            if !isStale { try signal(.answer(number: number, status: status, payload)) }
        case .sleepsIfCharging: if !isStale { sleepIfCharging() }
        case .release(let pad): touched.remove(pad)
        case .late(let packet, let over): if link?.link === over { try deliver(packet) }
        }
    }
}
