import Support

/// Confirmations that a unit was asked for and owes, a bounded number of them.
struct PendingPings {
    private var pings: [(id: ConfirmationID, expires: SessionClock.Instant)] = []

    var nextDeadline: SessionClock.Instant? { pings.map(\.expires).min() }

    /// - Returns: the expiry of the one that had to make room.
    mutating func add(_ id: ConfirmationID, until deadline: SessionClock.Instant, limit: Int) -> [RelayEvent] {
        defer { pings.append((id, deadline)) }
        return pings.count >= limit ? [.expired(pings.removeFirst().id)] : []
    }

    mutating func advance(now: SessionClock.Instant) -> [RelayEvent] {
        defer { pings.removeAll { $0.expires <= now } }
        return pings.filter { $0.expires <= now }.map { .expired($0.id) }
    }

    /// - Returns: `nil` where it was not asked for, or has expired.
    mutating func take(_ id: ConfirmationID) -> ConfirmationID? {
        pings.firstIndex { $0.id == id }.map { pings.remove(at: $0).id }
    }
}
