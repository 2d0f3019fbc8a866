import Bluetooth
import Foundation

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
        case linkUp(requestedMTU: Int, reply: Inbox<Result<VirtualLink, LinkError>>)
        /// The central's side of a link that the unit no longer serves.
        case linkLost(VirtualLink)
        case advertise
        case answer(number: UInt16, status: UInt8, [UInt8])
        case erase(page: Int, number: UInt16)
        case reset(intoBootloader: Bool)
        case late(HostPacket)
        case release(HandEvent.Pad)
    }

    let folder: UnitFolder
    let configuration: MonocleConfiguration
    let air: VirtualAir
    let events: Inbox<UnitEvent>
    let address: DeviceAddress

    var mode = Mode.off
    /// There while ``mode`` is `bootloader`; mutated in place, as it holds the flash.
    var bootloader: SecureBootloader?
    /// Set by the application before a reset: the boot goes to the bootloader (GPREGRET).
    var wantsBootloader = false
    /// 0x1C resets with main.py left out, once.
    var isSafeMode = false
    /// Counts resets and interpreter starts: what belongs to an earlier one is ignored.
    var generation = 0
    var timers: [(at: Duration, generation: Int, timer: Timer)] = []
    var link: ActiveLink?
    /// Its advertisements are repeated to whoever discovers.
    private var isAdvertisingRepeatedly = false
    var hardware: MonocleHardware
    var terminal = TerminalBridge()
    var faults: FaultPlan
    var generator: SeededGenerator
    var packetCount = 0
    /// Pads with a finger on them: a reset does not lift it.
    var touched: Set<HandEvent.Pad> = []
    /// Ends of the interpreter's process without a request in between.
    var failedStarts = 0

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
        case .interpreter(let event, let generation):
            if generation == self.generation { try handle(event) }
        case .hand(.tap(let pad)):
            press(pad)
            after(.milliseconds(100), .release(pad))
        case .hand(.press(let pad)):
            press(pad)
        case .hand(.release(let pad)):
            touched.remove(pad)
        case .hand(.cut(let cut)):
            perform(cut)
        }
    }

    /// The callback comes with the finger; that it leaves, only `touch.state` tells.
    private mutating func press(_ pad: HandEvent.Pad) {
        guard touched.insert(pad).inserted else { return }
        terminal.interpreter?.callBack(channel: UInt8(ascii: "T"), Array(pad.rawValue.utf8))
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
        case .linkUp(let mtu, let reply): linkUp(mtu, reply)
        case .linkLost(let link): link.finish(VirtualLink.supervisionTimeout)
        case .advertise:
            isAdvertisingRepeatedly = air.advertise(events)
            if isAdvertisingRepeatedly { after(.milliseconds(100), .advertise) }
        case .answer(let number, let status, let payload):
            if !isStale { terminal.interpreter?.reply(to: number, status: status, payload) }
        case .erase(let page, let number): if !isStale { try eraseStep(page, number) }
        case .reset(let intoBootloader): if !isStale { reset(intoBootloader: intoBootloader) }
        case .release(let pad): touched.remove(pad)
        case .late(let packet): if link != nil { try deliver(packet) }
        }
    }
}
