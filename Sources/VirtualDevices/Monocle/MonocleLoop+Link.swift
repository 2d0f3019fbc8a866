import Bluetooth
import Support

/// The unit's end of a link.
struct ActiveLink {
    enum Downlink {
        case notification(AttributeID, [UInt8])
        case reply(Inbox<UInt8?>, UInt8?)
    }

    let link: VirtualLink
    let pace: LinkPace
    /// Connection events happen at whole intervals after this.
    let anchor: Duration
    var nextEvent: Duration?
    var subscriptions: Set<AttributeID> = []
    var downlink: [Downlink] = []

    /// Notifications queued at most in the SoftDevice (main.c: hvn_tx_queue_size 2).
    static let notificationQueue = 2

    var queuedNotifications: Int {
        downlink.count { if case .notification = $0 { true } else { false } }
    }
}

extension MonocleLoop {
    mutating func linkUp(_ requestedMTU: Int, _ reply: Inbox<Result<VirtualLink, LinkError>>) throws {
        guard isAdvertising else {
            reply.deliver(.failure(.unavailable("the device went away")))
            return
        }
        var mtu = min(requestedMTU, configuration.largestMTU)
        var pace = LinkPace.application
        if bootloader != nil {
            mtu = SecureBootloader.negotiatedMTU(requested: mtu)
            pace = .bootloader
            let time = now
            bootloader?.connected(now: time)
        }
        let link = VirtualLink(payloadSize: mtu - 3, unit: events)
        exchangedPayload = mtu - 3
        self.link = ActiveLink(link: link, pace: pace, anchor: now)
        air.publish(nil, from: events)
        reply.deliver(.success(link))
        try wakeProcessor()
    }

    /// The unit stops serving the link; the host notices after the supervision timeout.
    mutating func dropLink() {
        guard let link else { return }
        after(link.pace.supervisionTimeout, .linkLost(link.link))
        forgetLink()
    }

    /// The link ends in good order: both sides know at once.
    mutating func closeLink(reason: String) {
        guard let link else { return }
        link.link.finish(.disconnected(reason))
        forgetLink()
    }

    private mutating func forgetLink() {
        link = nil
        after(.zero, .wake(processor.waitCount))
        let time = now
        bootloader?.disconnected(now: time)
        if isAdvertising { air.publish(advertisement, from: events) }
    }

    mutating func scheduleConnectionEvent() {
        guard let link, link.nextEvent == nil else { return }
        let intervals = Int64((now - link.anchor) / link.pace.interval) + 1
        self.link?.nextEvent = link.anchor + link.pace.interval * Int(intervals)
    }

    /// One connection event: both sides send in turn, as long as it lasts.
    mutating func connectionEvent() throws {
        guard let active = link else { return }
        link?.nextEvent = nil
        var budget = active.pace.eventLength
        var isBusy = true
        while isBusy {
            isBusy = false
            if let count = active.link.firstPacketLength, spend(count, from: &budget), let packet = active.link.takePacket() {
                try receive(packet)
                isBusy = true
            }
            // What came may have cost the link, or even the unit.
            guard link?.link === active.link else { return }
            if try transmit(budget: &budget) { isBusy = true }
            guard link?.link === active.link else { return }
        }
        if link?.link.firstPacketLength != nil || link?.downlink.isEmpty == false { scheduleConnectionEvent() }
    }

    private func spend(_ count: Int, from budget: inout Duration) -> Bool {
        let cost = LinkPace.airtime(valueCount: count)
        guard cost <= budget else { return false }
        budget -= cost
        return true
    }

    /// Sends the next packet of the unit, if there is one and time for it.
    private mutating func transmit(budget: inout Duration) throws -> Bool {
        guard let active = link, let item = active.downlink.first else { return false }
        switch item {
        case .reply(let inbox, let result):
            guard spend(1, from: &budget) else { return false }
            link?.downlink.removeFirst()
            inbox.deliver(result)
        case .notification(let characteristic, let value):
            guard spend(value.count, from: &budget) else { return false }
            link?.downlink.removeFirst()
            notificationCount += 1
            if characteristic == MonocleAttributes.dataTransmit { dataNotificationCount += 1 }
            let isLost = faults.lostNotifications.contains(notificationCount)
                || characteristic == MonocleAttributes.dataTransmit && faults.lostDataNotifications.contains(dataNotificationCount)
            if !isLost, let value = afterFaults(value) { active.link.notify(characteristic, value) }
            // The queue has a place again, within the event.
            try refill()
        }
        return true
    }

    /// A packet as the faults of the air leave it: `nil` when lost.
    private mutating func afterFaults(_ value: [UInt8]) -> [UInt8]? {
        if chance(faults.loss) { return nil }
        guard !value.isEmpty, chance(faults.corruption) else { return value }
        var damaged = value
        damaged[Int.random(in: 0..<value.count, using: &generator)] ^= UInt8(1 << Int.random(in: 0..<8, using: &generator))
        return damaged
    }

    private mutating func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &generator) < probability
    }

    private mutating func receive(_ packet: HostPacket) throws {
        packetCount += 1
        if let cut = faults.cuts[packetCount] {
            perform(cut)
            return
        }
        guard case .write(let characteristic, let value, nil) = packet, let over = link?.link else { return try deliver(packet) }
        over.credits.deliver(())
        guard !faults.lostPackets.contains(packetCount), let value = afterFaults(value) else { return }
        if chance(faults.delay) {
            after(.milliseconds(Int.random(in: 20...400, using: &generator)), .late(.write(characteristic, value, reply: nil), over))
        } else {
            try deliver(.write(characteristic, value, reply: nil))
        }
    }

    mutating func deliver(_ packet: HostPacket) throws {
        switch packet {
        case .disconnect:
            closeLink(reason: "closed by the host")
        case .subscribe(let characteristic, let isOn, let reply):
            guard MonocleAttributes.notifying.contains(characteristic), hasAttribute(characteristic) else {
                return answer(reply, 0x01)
            }
            if isOn { link?.subscriptions.insert(characteristic) } else { link?.subscriptions.remove(characteristic) }
            bootloader?.setControlPointNotifications(isOn)
            answer(reply, nil)
            try wakeProcessor()
        case .write(let characteristic, let value, let reply):
            let error = hasAttribute(characteristic) ? try write(value, to: characteristic) : 0x01
            if let reply { answer(reply, error) }
        }
        scheduleConnectionEvent()
    }

    private mutating func answer(_ inbox: Inbox<UInt8?>, _ error: UInt8?) {
        link?.downlink.append(.reply(inbox, error))
        scheduleConnectionEvent()
    }

    private func hasAttribute(_ characteristic: AttributeID) -> Bool {
        if bootloader != nil {
            return [MonocleAttributes.dfuControlPoint, MonocleAttributes.dfuPacket].contains(characteristic)
        }
        return ![MonocleAttributes.dfuControlPoint, MonocleAttributes.dfuPacket].contains(characteristic)
    }

    private mutating func write(_ value: [UInt8], to characteristic: AttributeID) throws -> UInt8? {
        if bootloader != nil {
            let time = now
            var error: UInt8?
            if characteristic == MonocleAttributes.dfuControlPoint {
                error = bootloader?.writeControlPoint(value, now: time)
            } else {
                bootloader?.writePacket(value, now: time)
            }
            try settleBootloader()
            return error
        }
        if characteristic == MonocleAttributes.replReceive {
            try signal(.terminal(value))
        } else if characteristic == MonocleAttributes.dataReceive {
            dataPacketCount += 1
            if faults.deafAtDataPackets.contains(dataPacketCount) { processor.add(.deafness) }
            if !faults.droppedDataPackets.contains(dataPacketCount) { try signal(.data(value)) }
        }
        return nil
    }

    /// Lets the bootloader's time pass and does what it asks for.
    mutating func settleBootloader() throws {
        let time = now
        bootloader?.advance(to: time)
        for effect in bootloader?.takeEffects() ?? [] {
            switch effect.event {
            case .notify(let value):
                if isSubscribed(MonocleAttributes.dfuControlPoint) {
                    link?.downlink.append(.notification(MonocleAttributes.dfuControlPoint, value))
                    scheduleConnectionEvent()
                }
            case .storageChanged:
                if let bootloader { try folder.save(bootloader.storage) }
            case .disconnected: closeLink(reason: "the bootloader restarts the unit")
            case .startedApplication, .restarted:
                if let bootloader { try folder.save(bootloader.storage) }
                reset(intoBootloader: effect.event == .restarted)
            }
        }
    }

    func isSubscribed(_ characteristic: AttributeID) -> Bool {
        link?.subscriptions.contains(characteristic) == true
    }
}
