import Bluetooth
import Support

/// What the unit has yet to get, in order. An answer goes out while it is still being written: its first words at once, the
/// rest in pieces that fill a packet or that have waited long enough.
struct Outbox {
    /// Text of less than a packet waits so long for more.
    static let patience = Duration.milliseconds(300)
    static let limit = 32

    struct Delivery {
        enum Kind { case answer, error }
        let id: ExchangeID
        let kind: Kind
        /// The link whose wearer waits for this; `nil` when nobody moves on from it.
        let link: Int?
        var text: String
        var isWhole: Bool
        var sentBytes = 0
        var hasBegun = false
        var hasEnded = false
        /// Sent again because the unit did not accept all of it.
        var isRepeated = false
    }

    private(set) var deliveries: [Delivery] = []
    private var lastSent: SessionClock.Instant?

    var isEmpty: Bool { deliveries.isEmpty }
    var count: Int { deliveries.count }
    /// The unit has part of the first delivery, or owes its receipt.
    var isDelivering: Bool { deliveries.first.map { $0.hasBegun || $0.hasEnded } ?? false }

    /// - Returns: whose delivery had to make room.
    mutating func begin(_ id: ExchangeID, link: Int?) -> ExchangeID? {
        add(Delivery(id: id, kind: .answer, link: link, text: "", isWhole: false))
    }

    /// - Returns: whose delivery had to make room.
    mutating func add(error text: String, for id: ExchangeID, link: Int?) -> ExchangeID? {
        add(Delivery(id: id, kind: .error, link: link, text: text, isWhole: true))
    }

    /// Full: the oldest that is not going out right now makes room.
    private mutating func add(_ delivery: Delivery) -> ExchangeID? {
        defer { deliveries.append(delivery) }
        return deliveries.count >= Self.limit ? deliveries.remove(at: 1).id : nil
    }

    mutating func append(_ text: String, to id: ExchangeID) { change(id) { $0.text += text } }

    mutating func end(_ id: ExchangeID) { change(id) { $0.isWhole = true } }

    mutating func drop(_ id: ExchangeID) { deliveries.removeAll { $0.id == id } }

    /// Drops what the wearer of this link has moved on from.
    /// - Returns: whose answers were dropped.
    mutating func dropAll(of link: Int) -> [ExchangeID] {
        defer { deliveries.removeAll { $0.link == link } }
        return deliveries.filter { $0.link == link }.map(\.id)
    }

    /// The unit has forgotten what it was showing: everything is sent from its beginning.
    mutating func rewind() {
        for index in deliveries.indices {
            deliveries[index].sentBytes = 0
            (deliveries[index].hasBegun, deliveries[index].hasEnded, deliveries[index].isRepeated) = (false, false, false)
        }
        lastSent = nil
    }

    /// Has the first delivery sent once more, from its beginning.
    /// - Returns: `false` when it was already.
    mutating func repeatFirst() -> Bool {
        guard let first = deliveries.first, !first.isRepeated else { return false }
        deliveries[0].sentBytes = 0
        (deliveries[0].hasBegun, deliveries[0].hasEnded, deliveries[0].isRepeated) = (false, false, true)
        lastSent = nil
        return true
    }

    private mutating func change(_ id: ExchangeID, _ change: (inout Delivery) -> Void) {
        guard let index = deliveries.firstIndex(where: { $0.id == id && $0.kind == .answer }) else { return }
        change(&deliveries[index])
    }

    // MARK: - Sending

    /// What to send now, if anything.
    mutating func next(capacity: Int, now: SessionClock.Instant) -> HostMessage? {
        guard let first = deliveries.first, !first.hasEnded else { return nil }
        if first.kind == .error {
            deliveries[0].hasEnded = true
            return .error(first.text)
        }
        let pending = pendingText
        if pending.isEmpty, !first.isWhole { return nil }
        let piece = TextCutter.characters(of: sendable(pending, isWhole: first.isWhole), atMostBytes: capacity)
        let isFull = pending.utf8.count >= capacity
        guard first.isWhole || !piece.isEmpty && (isFull || !first.hasBegun || isOverdue(now)) else { return nil }
        deliveries[0].hasBegun = true
        deliveries[0].sentBytes += piece.utf8.count
        deliveries[0].hasEnded = first.isWhole && piece.utf8.count == pending.utf8.count
        lastSent = now
        return .answer(String(piece), isFirst: !first.hasBegun, isLast: deliveries[0].hasEnded)
    }

    mutating func removeFirst() { if !deliveries.isEmpty { deliveries.removeFirst() } }

    /// When less than a packet has waited long enough.
    var nextDeadline: SessionClock.Instant? {
        guard let first = deliveries.first, !first.isWhole, !sendable(pendingText, isWhole: false).isEmpty else { return nil }
        return lastSent?.advanced(by: Self.patience)
    }

    private var pendingText: Substring {
        guard let first = deliveries.first else { return "" }
        return first.text[first.text.utf8.index(first.text.startIndex, offsetBy: first.sentBytes)...]
    }

    /// A last character that is not ASCII may still grow: an accent, a skin tone, the second half of a flag.
    private func sendable(_ text: Substring, isWhole: Bool) -> Substring {
        guard !isWhole, let last = text.last, !last.isASCII else { return text }
        return text.dropLast()
    }

    private func isOverdue(_ now: SessionClock.Instant) -> Bool {
        lastSent.map { $0.advanced(by: Self.patience) <= now } ?? true
    }
}
