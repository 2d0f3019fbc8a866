import Bluetooth
import Support

/// Plays one unit: a platform, its model, and whatever is due next.
struct UnitSimulator {
    var platform: UnitPlatform
    var model: any UnitModel

    init(_ platform: UnitPlatform) throws {
        self.platform = platform
        model = try platform.design.makeModel(platform.folder)
    }

    var nextDeadline: Duration? {
        [platform.timers.nextDeadline, model.nextDeadline, platform.link?.nextEvent, platform.bootloader?.nextDeadline].compactMap(\.self)
            .min()
    }

    mutating func handle(_ event: UnitEvent) throws {
        switch event {
        case .connect(let mtu, let reply):
            if platform.isAdvertising {
                platform.after(platform.design.configuration.linkSetUp, .linkUp(requestedMTU: mtu, reply: reply))
            } else {
                reply.deliver(.failure(.unavailable("the device does not advertise")))
            }
        case .linkActivity: platform.scheduleConnectionEvent()
        case .beginAdvertising: platform.after(.zero, .advertise)
        case .network: try withModel { try $0.networkChanged(on: &$1) }
        case .input(.cut(let cut)): try perform(cut)
        case .input(let input): try withModel { try $0.sense(input, on: &$1) }
        }
    }

    mutating func advance() throws {
        let now = platform.now
        while let due = [platform.timers.nextDeadline, model.nextDeadline].compactMap(\.self).min(), due <= now {
            if let timer = platform.timers.takeDue(at: due) { try fire(timer) } else { try withModel { try $0.advance(on: &$1) } }
        }
        if let event = platform.link?.nextEvent, event <= now { try connectionEvent() }
        try settleBootloader()
    }

    private mutating func fire(_ timer: UnitPlatform.Timer) throws {
        switch timer {
        case .powerOn: platform.powerOn()
        case .boot(let number): if number == platform.stopCount { try boot() }
        case .powerCut(let number): if number == platform.stopCount { try perform(.power) }
        case .linkUp(let mtu, let reply): if platform.acceptLink(mtu, reply) { try radioChanged() }
        case .linkLost(let link): link.finish(VirtualLink.supervisionTimeout)
        case .radioChanged: try radioChanged()
        case .advertise:
            if platform.air.advertise(platform.place) { platform.after(platform.design.advertisingInterval, .advertise) }
        case .late(let packet, let over): if platform.link?.link === over { try deliver(packet) }
        case .hostIdle: try serveHeldPackets()
        }
    }

    /// The bootloader stays when asked to, or without a valid application.
    private mutating func boot() throws {
        guard let design = platform.design.bootloader else { return try withModel { try $0.start([], on: &$1) } }
        let storage = try platform.folder.loadBootloader()
        let booted = SecureBootloader(
            configuration: design.configuration, nonvolatile: storage, now: platform.now, staysInBootloader: platform.wantsBootloader,
            power: platform.firmwarePower)
        platform.firmwareWordCount = booted.power.words
        if booted.storage != storage { try platform.folder.save(booted.storage) }
        if booted.power.hasFailed { return try perform(.power) }
        platform.wantsBootloader = false
        guard booted.hasLeft else {
            platform.mode = .bootloader
            platform.peripheral = design.peripheral(of: platform.address, platform.design.configuration)
            platform.bootloader = booted
            return platform.publish()
        }
        try withModel { try $0.start(booted.storage.application, on: &$1) }
    }

    mutating func losePower() {
        platform.losePower()
        model.stop(.powerLoss)
        platform.endLostLinks()
        platform.air.leave(platform.place)
    }

    mutating func perform(_ cut: UserInput.Cut) throws {
        switch cut {
        case .link: platform.dropLink()
        case .power:
            try saveBootloader()
            platform.cutPower()
            model.stop(.powerLoss)
        }
    }

    /// Stops the model if it has stopped the chip.
    mutating func withModel<Value>(_ body: (inout any UnitModel, inout UnitPlatform) throws -> Value) rethrows -> Value {
        let stopCount = platform.stopCount
        defer { if platform.stopCount != stopCount { model.stop(platform.stopCause) } }
        return try body(&model, &platform)
    }

    var runsApplication: Bool { platform.mode == .application }
    var isAtPrompt: Bool { runsApplication && model.isAtPrompt }

    mutating func radioChanged() throws {
        if runsApplication { try withModel { try $0.radioChanged(on: &$1) } }
    }
}
