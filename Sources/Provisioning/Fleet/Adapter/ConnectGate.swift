import Support

/// Decides which connect is next on one adapter: pure.
///
/// Only one is in progress at a time: two can leak one inside the kernel, after which the adapter refuses every connect
/// (bluez/bluetooth-next#643). They take turns. A holder keeps its place among the links, with or without a link, until it
/// gives it back.
struct ConnectGate: Sendable {
    /// Holds a place: a job, or a link outside any job.
    typealias Holder = UInt64
    typealias Ticket = UInt64

    enum Refusal: Sendable, Hashable {
        /// The ticket is back in its old place in the queue.
        /// - Parameter isCharged: none of our own links will end and make room, so the wait counts against the connect's time.
        case requeued(isCharged: Bool)
        /// Unrelated to other links.
        case ordinary
    }

    /// After a refusal; firmware that frees a link late refuses the next one too (bleak-retry-connector#67).
    static let pause = Duration.seconds(4)

    private struct Request: Sendable {
        let ticket: Ticket
        let holder: Holder
    }

    private(set) var ceiling = AdapterCeiling()
    /// Links of other programs when last counted.
    var foreignLinks = 0
    private(set) var dialing: Ticket?
    private(set) var pausedUntil: SessionClock.Instant?
    /// In ticket order.
    private var queue: [Request] = []
    /// Each holder's links that are up.
    private var places: [Holder: Int] = [:]
    private var count: UInt64 = 0

    /// Places taken: one a holder, or as many as it has links.
    var taken: Int { places.values.reduce(0) { $0 + max(1, $1) } }
    /// Links that are up, including other programs'.
    var linksUp: Int { places.values.reduce(0, +) + foreignLinks }
    /// Links that this station may have at once.
    var capacity: Int { max(1, ceiling.links - foreignLinks) }

    mutating func number() -> UInt64 {
        count += 1
        return count
    }

    mutating func enter(_ holder: Holder) -> Ticket {
        let ticket = number()
        queue.append(Request(ticket: ticket, holder: holder))
        return ticket
    }

    mutating func advance(at now: SessionClock.Instant) -> Ticket? {
        guard dialing == nil else { return nil }
        if let end = pausedUntil {
            guard now >= end else { return nil }
            pausedUntil = nil
        }
        guard let next = queue.first(where: mayDial) else { return nil }
        dialing = next.ticket
        if places[next.holder] == nil { places[next.holder] = 0 }
        return next.ticket
    }

    private func mayDial(_ request: Request) -> Bool {
        // A holder keeps its place through a reboot.
        if places[request.holder] == 0 { return true }
        // Without any link of ours nothing will make room: only trying shows.
        return places.isEmpty || taken < capacity
    }

    mutating func connected(_ ticket: Ticket) {
        guard let request = leave(ticket) else { return }
        places[request.holder, default: 0] += 1
    }

    /// The connect failed or was abandoned.
    /// - Parameter keepsPlace: the holder may try again.
    mutating func failed(_ ticket: Ticket, keepsPlace: Bool) {
        guard let request = leave(ticket) else { return }
        if !keepsPlace, places[request.holder] == 0 { places[request.holder] = nil }
    }

    /// The adapter refused: the ticket keeps its turn, unless the refusal is an ordinary failure.
    mutating func refused(_ ticket: Ticket, keepsPlace: Bool, at now: SessionClock.Instant) -> Refusal {
        guard let request = queue.first(where: { $0.ticket == ticket }), ceiling.refused(besides: linksUp) else {
            failed(ticket, keepsPlace: keepsPlace)
            return .ordinary
        }
        dialing = nil
        pausedUntil = now.advanced(by: Self.pause)
        if !keepsPlace, places[request.holder] == 0 { places[request.holder] = nil }
        return .requeued(isCharged: places.allSatisfy { $0.key == request.holder || $0.value == 0 })
    }

    /// A link is gone, and there is room.
    mutating func linkEnded(_ holder: Holder, keepsPlace: Bool) {
        guard let links = places[holder], links > 0 else { return }
        places[holder] = links == 1 && !keepsPlace ? nil : links - 1
        pausedUntil = nil
    }

    /// The holder wants no more links.
    mutating func giveBack(_ holder: Holder) {
        if places[holder] == 0 { places[holder] = nil }
    }

    private mutating func leave(_ ticket: Ticket) -> Request? {
        if dialing == ticket { dialing = nil }
        guard let index = queue.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return queue.remove(at: index)
    }
}
