import Support

/// A confirmation requested from the unit; unguessable, so that a late answer fits no other.
public struct ConfirmationID: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    public init(_ text: String) { description = text }
}

/// Confirmations that a unit owes.
package struct PendingPings {
    /// Beyond it the oldest expires.
    private static let limit = 8
    private static let timeout = Duration.seconds(6)

    private var pings: [(id: ConfirmationID, expires: SessionClock.Instant)] = []

    package init() {}

    package var nextDeadline: SessionClock.Instant? { pings.map(\.expires).min() }

    /// - Parameters:
    ///   - capacity: bytes of the ping's text in one packet.
    ///   - packet: carries that text.
    package mutating func ask(
        _ id: ConfirmationID, capacity: Int, now: SessionClock.Instant, packet: (Substring.UTF8View) -> [UInt8]
    ) -> [RelayEvent] {
        let expired = pings.count >= Self.limit ? [RelayEvent.expired(pings.removeFirst().id)] : []
        pings.append((id, now.advanced(by: Self.timeout)))
        return expired + [.send(packet(PlainText.prefix(of: id.description[...], atMostBytes: capacity).utf8))]
    }

    package mutating func advance(now: SessionClock.Instant) -> [RelayEvent] {
        defer { pings.removeAll { $0.expires <= now } }
        return pings.filter { $0.expires <= now }.map { .expired($0.id) }
    }

    /// - Returns: `nil` when it was not requested or has expired.
    package mutating func take(_ id: ConfirmationID) -> ConfirmationID? {
        pings.firstIndex { $0.id == id }.map { pings.remove(at: $0).id }
    }
}
