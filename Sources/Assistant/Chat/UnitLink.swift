import Support

/// Everything that ends with a link.
struct UnitLink {
    enum Program: Equatable {
        case starting(readyBy: SessionClock.Instant)
        /// Gets no text until it announces itself.
        case silent
        case ready
    }

    private(set) var program: Program
    /// The wearer takes a picture or speaks: text sent before the recording's end would be lost.
    var isRecording = false
    var line = PacketLine()

    init(readyBy: SessionClock.Instant) { program = .starting(readyBy: readyBy) }

    var isReady: Bool { program == .ready }
    var takesText: Bool { isReady && !isRecording }
    var isBusy: Bool { isRecording || !line.isIdle }

    var readyDeadline: SessionClock.Instant? {
        if case .starting(let deadline) = program { deadline } else { nil }
    }

    mutating func becomeReady() { (program, isRecording) = (.ready, false) }

    mutating func wait(until deadline: SessionClock.Instant) { program = .starting(readyBy: deadline) }

    /// Data before the program's sign may meet a stale callback.
    mutating func fallSilent() { program = .silent }
}

/// Hands packets to a link one by one, at the unit's pace.
struct PacketLine {
    enum State: Equatable {
        case free
        /// - isText: the packet is the ``Outbox``'s.
        case sending(isText: Bool)
        case pausing(until: SessionClock.Instant)
    }

    /// A unit that does not wait for its acknowledgements gets no more.
    static let urgentLimit = 16

    private(set) var state = State.free
    /// The unit acknowledged the packet before the link did.
    private var isAcknowledged = false
    private(set) var urgent: [[UInt8]] = []

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

    mutating func acknowledged() {
        switch state {
        case .free: break
        case .sending: isAcknowledged = true
        case .pausing: state = .free
        }
    }

    /// Call it when the link has accepted the packet.
    /// - Returns: whether it was text.
    mutating func taken(pause: Duration, now: SessionClock.Instant) -> Bool {
        guard case .sending(let isText) = state else { return false }
        state = isAcknowledged ? .free : .pausing(until: now.advanced(by: pause))
        isAcknowledged = false
        return isText
    }
}
