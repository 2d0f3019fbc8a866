import Support

/// What the unit has yet to get, in order, as a state machine. An answer goes out while it is still being written: its first
/// words at once, the rest in pieces that fill a packet or that have waited long enough.
struct Outbox {
    enum Order {
        case begin(TurnID, link: Int?)
        case append(String, to: TurnID)
        case end(TurnID)
        case error(String, for: TurnID, link: Int?)
        case notice(String, for: TurnID)
        case picture(DisplayPicture, for: TurnID)
        case drop(TurnID)
    }

    struct Delivery {
        enum Kind: Equatable { case answer, error, picture(DisplayPicture) }
        let id: TurnID
        let kind: Kind
        /// The link whose wearer waits for this; `nil` when nobody moves on from it.
        let link: Int?
        var text: String
        var isWhole: Bool
    }

    static let limit = 32

    var deliveries: [Delivery] = []
    /// The first delivery's way to the unit.
    var attempt = DeliveryAttempt()

    var isEmpty: Bool { deliveries.isEmpty }
    var count: Int { deliveries.count }

    // MARK: - Orders

    /// - Returns: whose delivery had to make room.
    mutating func take(_ order: Order) -> TurnID? {
        switch order {
        case .begin(let id, let link): return begin(id, link: link)
        case .error(let text, let id, let link): return add(error: text, for: id, link: link)
        case .notice(let text, let id): return add(Delivery(id: id, kind: .answer, link: nil, text: text, isWhole: true))
        case .picture(let picture, let id): return add(Delivery(id: id, kind: .picture(picture), link: nil, text: "", isWhole: true))
        case .append(let text, let id): append(text, to: id)
        case .end(let id): end(id)
        case .drop(let id): drop { $0.id == id }
        }
        return nil
    }

    /// - Returns: whose delivery had to make room.
    mutating func begin(_ id: TurnID, link: Int?) -> TurnID? {
        add(Delivery(id: id, kind: .answer, link: link, text: "", isWhole: false))
    }

    /// - Returns: whose delivery had to make room.
    mutating func add(error text: String, for id: TurnID, link: Int?) -> TurnID? {
        add(Delivery(id: id, kind: .error, link: link, text: text, isWhole: true))
    }

    /// Full: the oldest that is not going out right now makes room.
    private mutating func add(_ delivery: Delivery) -> TurnID? {
        defer { deliveries.append(delivery) }
        return deliveries.count >= Self.limit ? deliveries.remove(at: 1).id : nil
    }

    mutating func append(_ text: String, to id: TurnID) { change(id) { $0.text += text } }

    mutating func end(_ id: TurnID) { change(id) { $0.isWhole = true } }

    private mutating func change(_ id: TurnID, _ change: (inout Delivery) -> Void) {
        guard let index = deliveries.firstIndex(where: { $0.id == id && $0.kind == .answer }) else { return }
        change(&deliveries[index])
    }

    private mutating func drop(where isUnwanted: (Delivery) -> Bool) {
        if deliveries.first.map(isUnwanted) == true { attempt = DeliveryAttempt() }
        deliveries.removeAll(where: isUnwanted)
    }

    /// Drops what the wearer of this link has moved on from.
    /// - Returns: whose answers were dropped.
    mutating func dropAll(of link: Int) -> [TurnID] {
        defer { drop { $0.link == link } }
        return deliveries.filter { $0.link == link }.map(\.id)
    }

    /// The first delivery is over, one way or the other.
    mutating func removeFirst() {
        attempt = DeliveryAttempt()
        if !deliveries.isEmpty { deliveries.removeFirst() }
    }

    /// The unit has forgotten what it was showing: everything is sent from its beginning.
    mutating func rewind() { attempt = DeliveryAttempt() }

    // MARK: - Text

    /// The next piece of text, if any is to go out now.
    mutating func next(capacity: Int, now: SessionClock.Instant) -> HostMessage? {
        guard let first = deliveries.first, let sentBytes = attempt.sentBytes else { return nil }
        switch first.kind {
        case .answer: return nextPiece(of: first, sentBytes, capacity: capacity, now: now)
        case .error:
            attempt.state = .ending(.init())
            return .error(first.text)
        case .picture(let picture):
            attempt.state = .ending(.init())
            return .picture(picture)
        }
    }

    private mutating func nextPiece(of first: Delivery, _ sentBytes: Int, capacity: Int, now: SessionClock.Instant) -> HostMessage? {
        let pending = first.text[first.text.utf8.index(first.text.startIndex, offsetBy: sentBytes)...]
        if pending.isEmpty, !first.isWhole { return nil }
        let sendable = Self.sendable(pending, isWhole: first.isWhole)
        let whole = PlainText.wholeCharacters(of: sendable, atMostBytes: capacity)
        let piece = whole.isEmpty ? sendable.prefix(1) : whole
        let isDue = pending.utf8.count >= capacity || attempt.textDeadline.map { $0 <= now } ?? true
        guard first.isWhole || !piece.isEmpty && isDue else { return nil }
        let isFirst = !attempt.hasBegun
        let isLast = first.isWhole && piece.utf8.count == pending.utf8.count
        attempt.state = isLast ? .ending(.init()) : .streaming(sentBytes: sentBytes + piece.utf8.count, since: now, packets: [])
        return .answer(String(piece), isFirst: isFirst, isLast: isLast)
    }

    /// When less than a packet has waited long enough.
    var textDeadline: SessionClock.Instant? {
        guard let first = deliveries.first, !first.isWhole, let sentBytes = attempt.sentBytes else { return nil }
        let pending = first.text.utf8.dropFirst(sentBytes)
        return Self.sendable(Substring(pending), isWhole: false).isEmpty ? nil : attempt.textDeadline
    }

    /// A last character that is not ASCII may still grow: an accent, a skin tone, the second half of a flag.
    private static func sendable(_ text: Substring, isWhole: Bool) -> Substring {
        guard !isWhole, let last = text.last, !last.isASCII else { return text }
        return text.dropLast()
    }
}
