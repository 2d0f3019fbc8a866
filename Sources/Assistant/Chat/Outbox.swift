import Support

/// What the unit has yet to get. An answer goes out while it is being written: its first words at once, then pieces that fill a packet or
/// have waited long enough.
struct Outbox {
    enum Order {
        case add(Delivery)
        case append(String, to: TurnID)
        case end(TurnID)
        case drop(TurnID)
    }

    struct Delivery {
        enum Kind: Equatable { case answer, error, picture(DisplayPicture) }
        let id: TurnID
        let kind: Kind
        /// The link whose wearer waits for this; `nil` when nobody can cancel it.
        let link: Int?
        var text: String
        var isWhole: Bool

        init(_ id: TurnID, _ kind: Kind = .answer, link: Int?, text: String = "", isWhole: Bool = false) {
            (self.id, self.kind, self.link, self.text, self.isWhole) = (id, kind, link, text, isWhole)
        }
    }

    static let limit = 32

    private(set) var deliveries: [Delivery] = []
    /// The first delivery's.
    private(set) var attempt = DeliveryAttempt()

    var isEmpty: Bool { deliveries.isEmpty }
    var count: Int { deliveries.count }
    /// The unit has part of the first delivery, or owes its receipt.
    var isDelivering: Bool { attempt.hasBegun }
    var receiptDeadline: SessionClock.Instant? { attempt.receiptDeadline }

    // MARK: - Orders

    /// - Returns: the turn whose delivery a full outbox dropped: the oldest not yet under way.
    mutating func take(_ order: Order) -> TurnID? {
        switch order {
        case .add(let delivery):
            defer { deliveries.append(delivery) }
            return deliveries.count >= Self.limit ? deliveries.remove(at: 1).id : nil
        case .append(let text, let id): change(id) { $0.text += text }
        case .end(let id): change(id) { $0.isWhole = true }
        case .drop(let id): drop { $0.id == id }
        }
        return nil
    }

    private mutating func change(_ id: TurnID, _ change: (inout Delivery) -> Void) {
        guard let index = deliveries.firstIndex(where: { $0.id == id && $0.kind == .answer }) else { return }
        change(&deliveries[index])
    }

    private mutating func drop(where isUnwanted: (Delivery) -> Bool) {
        if deliveries.first.map(isUnwanted) == true { rewind() }
        deliveries.removeAll(where: isUnwanted)
    }

    /// Drops the answers that this link's wearer cancelled.
    mutating func dropAll(of link: Int) -> [TurnID] {
        defer { drop { $0.link == link } }
        return deliveries.filter { $0.link == link }.map(\.id)
    }

    mutating func removeFirst() {
        rewind()
        if !deliveries.isEmpty { deliveries.removeFirst() }
    }

    /// The unit has forgotten its display: sends everything from the beginning.
    mutating func rewind() { attempt = DeliveryAttempt() }

    // MARK: - Text

    mutating func next(capacity: Int, now: SessionClock.Instant) -> HostMessage? {
        guard let first = deliveries.first, let sentBytes = attempt.sentBytes else { return nil }
        switch first.kind {
        case .answer: return nextPiece(of: first, sentBytes, capacity: capacity, now: now)
        case .error:
            attempt.state = .ending()
            return .error(first.text)
        case .picture(let picture):
            attempt.state = .ending()
            return .picture(picture)
        }
    }

    private mutating func nextPiece(of first: Delivery, _ sentBytes: Int, capacity: Int, now: SessionClock.Instant) -> HostMessage? {
        let pending = first.text[first.text.utf8.index(first.text.startIndex, offsetBy: sentBytes)...]
        if pending.isEmpty, !first.isWhole { return nil }
        let sendable = Self.sendable(pending, isWhole: first.isWhole)
        let fitting = PlainText.wholeCharacters(of: sendable, atMostBytes: capacity)
        let piece = fitting.isEmpty ? sendable.prefix(1) : fitting
        let isDue = pending.utf8.count >= capacity || attempt.textDeadline.map { $0 <= now } ?? true
        guard first.isWhole || !piece.isEmpty && isDue else { return nil }
        let isFirst = !attempt.hasBegun
        let isLast = first.isWhole && piece.utf8.count == pending.utf8.count
        attempt.state = isLast ? .ending() : .streaming(sentBytes: sentBytes + piece.utf8.count, since: now)
        return .answer(String(piece), isFirst: isFirst, isLast: isLast)
    }

    /// When less than a packet has waited long enough.
    var textDeadline: SessionClock.Instant? {
        guard let first = deliveries.first, !first.isWhole, let sentBytes = attempt.sentBytes else { return nil }
        let pending = first.text.utf8.dropFirst(sentBytes)
        return Self.sendable(Substring(pending), isWhole: false).isEmpty ? nil : attempt.textDeadline
    }

    /// A last character other than ASCII may still grow: an accent, a skin tone, the second half of a flag.
    private static func sendable(_ text: Substring, isWhole: Bool) -> Substring {
        guard !isWhole, let last = text.last, !last.isASCII else { return text }
        return text.dropLast()
    }

    // MARK: - Packets

    /// Call it when the link has accepted the previous packet.
    mutating func nextPacket(
        through relay: inout any AppRelay, now: SessionClock.Instant
    ) -> (packet: [UInt8]?, events: [ChatEvent]) {
        var events: [ChatEvent] = []
        while true {
            if !attempt.packets.isEmpty { return (attempt.packets.removeFirst(), events) }
            guard let message = next(capacity: relay.textCapacity, now: now) else { return (nil, events) }
            if case .answer(_, isFirst: true, _) = message, attempt.isRepetition { attempt.packets = relay.packets(for: .again) }
            attempt.packets += relay.packets(for: message)
            if attempt.hasEnded { attempt.state = .ending(expected: relay.awaitedReceipt, relay.folding) }
            // Text that folds to nothing needs no packet.
            if attempt.packets.isEmpty { events += packetTaken(now: now) }
        }
    }

    mutating func packetTaken(now: SessionClock.Instant) -> [ChatEvent] {
        guard case .ending(let receipt, let folding, let early) = attempt.state, attempt.packets.isEmpty, let id = deliveries.first?.id
        else { return [] }
        var events: [ChatEvent] = []
        if !attempt.isRepetition, !folding.isExact { events.append(.folded(id, folding)) }
        guard let expected = receipt else {
            removeFirst()
            return events + [.sent(id, awaitsReceipt: false)]
        }
        if !attempt.isRepetition { events.append(.sent(id, awaitsReceipt: true)) }
        attempt.state = .awaitingReceipt(expected, until: now.advanced(by: DeliveryAttempt.receiptTimeout))
        return events + (early.map { self.receive($0) } ?? [])
    }

    // MARK: - Receipts

    mutating func receive(_ receipt: AnswerReceipt) -> [ChatEvent] {
        switch attempt.state {
        case .awaitingReceipt(let expected, _):
            guard receipt == expected else { return lost(.accepted(byteCount: receipt.byteCount, sent: expected.byteCount)) }
            defer { removeFirst() }
            return deliveries.first.map { [.delivered($0.id)] } ?? []
        case .ending(let expected, let folding, _) where attempt.packets.isEmpty && expected != nil:
            attempt.state = .ending(expected: expected, folding, early: receipt)
            return []
        case .waiting, .streaming, .ending: return [.notice(.unexpectedReceipt)]
        }
    }

    mutating func advance(now: SessionClock.Instant) -> [ChatEvent] {
        guard let deadline = receiptDeadline, deadline <= now else { return [] }
        return lost(.noReceipt)
    }

    /// The first delivery is sent again, once.
    private mutating func lost(_ loss: DeliveryLoss) -> [ChatEvent] {
        guard !attempt.isRepetition, let id = deliveries.first?.id else { return giveUpFirst(loss) }
        attempt = DeliveryAttempt(isRepetition: true)
        return [.repeated(id, loss)]
    }

    mutating func giveUpFirst(_ loss: DeliveryLoss) -> [ChatEvent] {
        guard let id = deliveries.first?.id else { return [] }
        removeFirst()
        return [.undeliverable(id, loss)]
    }
}

/// One delivery to the unit, from its first words to its receipt.
///
/// waiting → streaming → ending → awaiting its receipt. An error or a complete answer goes from waiting to ending.
struct DeliveryAttempt {
    enum State {
        case waiting
        /// The bytes of its text sent so far, the last of them at `since`.
        case streaming(sentBytes: Int, since: SessionClock.Instant)
        /// All of its text is sent.
        /// - expected: `nil` when the unit gives no receipts.
        /// - early: came before the link accepted its request.
        case ending(expected: AnswerReceipt? = nil, _ folding: TextFolding = TextFolding(), early: AnswerReceipt? = nil)
        case awaitingReceipt(AnswerReceipt, until: SessionClock.Instant)
    }

    /// How long less than a packet waits for more.
    private static let textTimeout = Duration.milliseconds(300)
    /// From the request to the receipt. The scripts look for requests every 40 ms; an exception costs them 1 s.
    static let receiptTimeout = Duration.seconds(5)

    var isRepetition = false
    var state = State.waiting
    /// The rest of the last piece.
    var packets: [[UInt8]] = []

    var hasBegun: Bool { if case .waiting = state { false } else { true } }

    var hasEnded: Bool { sentBytes == nil }

    /// Bytes of text sent so far; `nil` at the end.
    var sentBytes: Int? {
        switch state {
        case .waiting: 0
        case .streaming(let count, _): count
        case .ending, .awaitingReceipt: nil
        }
    }

    var textDeadline: SessionClock.Instant? {
        if case .streaming(_, let since) = state { since.advanced(by: Self.textTimeout) } else { nil }
    }

    var receiptDeadline: SessionClock.Instant? {
        if case .awaitingReceipt(_, let deadline) = state { deadline } else { nil }
    }
}
