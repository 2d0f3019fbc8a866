import Support

/// Hands packets to a link one by one, at the pace that the unit can take.
struct PacketLine {
    enum State: Equatable {
        case free
        /// - isText: the packet is the ``Outbox``'s.
        case sending(isText: Bool)
        case pausing(until: SessionClock.Instant)
    }

    /// Acknowledgements that wait: more come only from a unit that does not wait for them.
    static let urgentLimit = 16

    private(set) var state = State.free
    /// The unit's word overtook the link's.
    private var isAcknowledged = false
    /// Packets that go before any text.
    private(set) var urgent: [[UInt8]] = []

    /// Nothing waits, and nothing is under way.
    var isIdle: Bool {
        if case .sending = state { false } else { urgent.isEmpty }
    }

    var isFree: Bool { state == .free }

    var pauseDeadline: SessionClock.Instant? {
        if case .pausing(let deadline) = state { deadline } else { nil }
    }

    mutating func queue(_ packet: [UInt8]) { urgent.append(packet) }

    mutating func advance(now: SessionClock.Instant) {
        if let deadline = pauseDeadline, deadline <= now { state = .free }
    }

    mutating func takeUrgent() -> [UInt8]? {
        guard isFree, !urgent.isEmpty else { return nil }
        state = .sending(isText: false)
        return urgent.removeFirst()
    }

    mutating func beginText() { state = .sending(isText: true) }

    /// The unit can hold another packet.
    mutating func acknowledged() {
        switch state {
        case .free: break
        case .sending: isAcknowledged = true
        case .pausing: state = .free
        }
    }

    /// The link has taken the packet.
    /// - Returns: whether it was text.
    mutating func taken(pause: Duration, now: SessionClock.Instant) -> Bool {
        guard case .sending(let isText) = state else { return false }
        state = isAcknowledged ? .free : .pausing(until: now.advanced(by: pause))
        isAcknowledged = false
        return isText
    }
}
