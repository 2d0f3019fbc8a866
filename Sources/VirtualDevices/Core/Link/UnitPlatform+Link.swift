import Bluetooth
import Support

extension UnitPlatform {
    /// MTU of a link without an exchange, in bytes (Core Specification, Vol 3, Part G, 5.2.1).
    private static let smallestMTU = 23

    /// A central's link is up.
    /// - Parameter requestedMTU: 0 for a central that requests none.
    /// - Returns: `false` when the unit disappeared meanwhile.
    mutating func acceptLink(_ requestedMTU: Int, _ reply: LinkReply) -> Bool {
        guard isAdvertising, let peripheral else {
            reply.deliver(.failure(.unavailable("the device went away")))
            return false
        }
        let mtu = requestedMTU > 0 ? peripheral.mtu(requested: requestedMTU) : Self.smallestMTU
        let time = now
        bootloader?.connected(now: time)
        let link = VirtualLink(payloadSize: mtu - 3, table: peripheral.table, unit: events)
        if requestedMTU > 0 { exchangedPayload = mtu - 3 }
        self.link = ActiveLink(link: link, pace: peripheral.pace, anchor: time)
        publish()
        reply.deliver(.success(link))
        return true
    }

    /// The unit stops serving the link; the host notices after the supervision timeout.
    mutating func dropLink() {
        guard let link else { return }
        after(link.pace.supervisionTimeout, .linkLost(link.link))
        forgetLink(noticedAfter: peripheral?.advertisesByItself == false ? link.pace.supervisionTimeout : .zero)
    }

    /// The unit is no longer played, so its centrals need not wait for their supervision timeout.
    mutating func endLostLinks() {
        while let timer = timers.takeDue(at: .forever) {
            if case .linkLost(let link) = timer { link.finish(VirtualLink.supervisionTimeout) }
        }
    }

    /// Ends the link in an orderly way: both sides know immediately.
    mutating func closeLink(reason: String) {
        guard let link else { return }
        link.link.finish(.disconnected(reason))
        forgetLink()
    }

    private mutating func forgetLink(noticedAfter delay: Duration = .zero) {
        link.map { $0.link.abandon($0.failures + host.failures(over: $0.link)) }
        link = nil
        if peripheral?.advertisesByItself == false { peripheral = nil }
        after(delay, .radioChanged)
        let time = now
        bootloader?.disconnected(now: time)
        if isAdvertising { publish() }
    }

    mutating func scheduleConnectionEvent(after silence: Duration = .zero) {
        guard let link, link.nextEvent == nil else { return }
        let time = link.anchor + link.pace.eventTime(after: now + silence - link.anchor)
        self.link?.nextEvent = time
    }

    mutating func answer(_ downlink: ActiveLink.Downlink) {
        link?.downlink.append(downlink)
        scheduleConnectionEvent()
    }

    func isSubscribed(_ characteristic: AttributeID) -> Bool { link?.subscriptions.contains(characteristic) == true }

    /// Free places in the radio's notification queue.
    var freeNotificationPlaces: Int { (peripheral?.notificationQueue ?? 0) - (link?.queuedNotifications ?? 0) }

    /// Queues a notification; drops it if the link has not subscribed.
    /// - Parameter isData: it belongs to the app's own service.
    package mutating func notify(_ characteristic: AttributeID, _ value: [UInt8], isData: Bool = false) {
        guard isSubscribed(characteristic) else { return }
        link?.downlink.append(.notification(characteristic, value, isData: isData))
        scheduleConnectionEvent()
    }
}
