import Bluetooth
import Support

extension UnitSimulator {
    /// Both sides send in turn, as long as the event lasts.
    mutating func connectionEvent() throws {
        guard let active = platform.link else { return }
        platform.link?.nextEvent = nil
        if let silence = platform.faults.drawSilence(using: &platform.generator) {
            return platform.scheduleConnectionEvent(after: silence)
        }
        var budget = active.pace.eventLength
        var (isBusy, turns) = (true, 0)
        while isBusy, turns < active.pace.turns {
            isBusy = false
            turns += 1
            if let count = active.link.firstPacketLength, Self.spend(count, from: &budget), let packet = active.link.takePacket() {
                try receive(packet)
                isBusy = true
            }
            // The packet may have cost the link, or even the unit.
            guard platform.link?.link === active.link else { return }
            if try transmit(budget: &budget) { isBusy = true }
            guard platform.link?.link === active.link else { return }
        }
        if platform.link?.link.firstPacketLength != nil || platform.link?.downlink.isEmpty == false && !platform.host.isBusy {
            platform.scheduleConnectionEvent()
        }
    }

    private static func spend(_ count: Int, from budget: inout Duration) -> Bool {
        let cost = LinkPace.airtime(valueCount: count)
        guard cost <= budget else { return false }
        budget -= cost
        return true
    }

    private mutating func transmit(budget: inout Duration) throws -> Bool {
        guard !platform.host.isBusy, let active = platform.link, let item = active.downlink.first else { return false }
        switch item {
        case .reply(let inbox, let result):
            guard Self.spend(1, from: &budget) else { return false }
            platform.link?.downlink.removeFirst()
            inbox.deliver(result)
        case .security(let inbox, let answer):
            guard Self.spend(1, from: &budget) else { return false }
            platform.link?.downlink.removeFirst()
            inbox.deliver(answer)
            if case .refused(_, endsLink: true) = answer { platform.closeLink(reason: "the device refused the pairing") }
        case .notification(let characteristic, let value, let isData):
            guard Self.spend(value.count, from: &budget) else { return false }
            platform.link?.downlink.removeFirst()
            if let value = platform.faults.transmitNotification(value, isData: isData, using: &platform.generator) {
                active.link.notify(characteristic, value)
            }
            // The queue has space again, within the event.
            if runsApplication { try withModel { try $0.notificationSent(on: &$1) } }
        }
        return true
    }

    private mutating func receive(_ packet: HostPacket) throws {
        platform.packetCount += 1
        platform.faults.receive(packet, number: platform.packetCount)
        if let cut = platform.faults.cut(packet: platform.packetCount) {
            platform.link?.link.abandon([packet.failure].compactMap { $0 })
            return try perform(cut)
        }
        guard case .write(let characteristic, let value, nil) = packet, let over = platform.link?.link else { return try deliver(packet) }
        over.credits.deliver(())
        guard let value = platform.faults.transmitCommand(value, packet: platform.packetCount, using: &platform.generator) else { return }
        if let delay = platform.faults.drawDelay(using: &platform.generator) {
            platform.after(delay, .late(.write(characteristic, value, reply: nil), over))
        } else {
            try deliver(.write(characteristic, value, reply: nil))
        }
    }

    /// What came while the host task was busy; an answer finds its link gone, where it is.
    mutating func serveHeldPackets() throws {
        while let (packet, link) = platform.host.takeHeld() {
            let isOver = platform.link?.link !== link
            if isOver, case .write(let characteristic, let value, .some) = packet {
                try deliver(.write(characteristic, value, reply: nil), wasRequest: true)
            } else {
                try deliver(packet)
            }
        }
        if platform.isAdvertising { platform.publish() }
    }

    mutating func deliver(_ packet: HostPacket, wasRequest: Bool = false) throws {
        // The controller ends a link, whatever the host task does.
        if platform.host.isBusy, let link = platform.link?.link {
            if case .disconnect = packet {} else { return platform.host.hold(packet, over: link) }
        }
        switch packet {
        case .disconnect: platform.closeLink(reason: "closed by the host")
        case .subscribe(let characteristic, let isOn, let reply): try subscribe(characteristic, isOn: isOn, reply)
        case .write(let characteristic, let value, let reply):
            let error = try write(value, to: characteristic, isRequest: wasRequest || reply != nil)
            if let reply { platform.answer(.reply(reply, error)) }
        case .secure(let request, let reply):
            let answer = runsApplication ? try withModel { try $0.secure(request, on: &$1) } : .notSupported
            if case .encrypted = answer { platform.link?.isEncrypted = true }
            platform.answer(.security(reply, answer))
        }
        platform.scheduleConnectionEvent()
    }

    private mutating func subscribe(_ characteristic: AttributeID, isOn: Bool, _ reply: Inbox<UInt8?>) throws {
        guard platform.peripheral?.table.notifying.contains(characteristic) == true else {
            return platform.answer(.reply(reply, ATTError.attributeNotFound))
        }
        if isOn { platform.link?.subscriptions.insert(characteristic) } else { platform.link?.subscriptions.remove(characteristic) }
        platform.bootloader?.setControlPointNotifications(isOn)
        platform.answer(.reply(reply, nil))
        try radioChanged()
    }

    /// - Returns: the ATT error.
    private mutating func write(_ value: [UInt8], to id: AttributeID, isRequest: Bool) throws -> UInt8? {
        guard let characteristic = platform.peripheral?.table[id] else { return ATTError.attributeNotFound }
        guard isRequest ? characteristic.takesRequests : characteristic.properties.contains(.command) else {
            return ATTError.writeNotPermitted
        }
        if characteristic.needsEncryption, platform.link?.isEncrypted != true { return ATTError.insufficientAuthentication }
        guard platform.bootloader != nil else { return try withModel { try $0.write(value, to: id, on: &$1) } }
        let time = platform.now
        var error: UInt8?
        if id == DFUService.controlPoint {
            error = platform.bootloader?.writeControlPoint(value, now: time)
        } else {
            platform.bootloader?.writePacket(value, now: time)
        }
        try settleBootloader()
        return error
    }

    /// Advances the bootloader's time and performs its effects.
    mutating func settleBootloader() throws {
        let time = platform.now
        platform.bootloader?.advance(to: time)
        if let power = platform.bootloader?.power { platform.firmwareWordCount = power.words }
        for effect in platform.bootloader?.takeEffects() ?? [] {
            switch effect.event {
            case .notify(let value): platform.notify(DFUService.controlPoint, value)
            case .storageChanged: try saveBootloader()
            case .disconnected: platform.closeLink(reason: "the bootloader restarts the unit")
            case .startedApplication, .restarted:
                try saveBootloader()
                platform.reset(nil, intoBootloader: effect.event == .restarted)
            }
        }
        if platform.bootloader?.power.hasFailed == true { try perform(.power) }
    }

    func saveBootloader() throws {
        if let bootloader = platform.bootloader { try platform.folder.save(bootloader.storage) }
    }
}
