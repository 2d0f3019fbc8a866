import Support

// From text to packets to receipts.
extension Outbox {
    /// The unit has part of the first delivery, or owes its receipt.
    var isDelivering: Bool { attempt.hasBegun }

    var receiptDeadline: SessionClock.Instant? { attempt.receiptDeadline }

    /// The packet to send now, if any. The link has taken the one before.
    mutating func nextPacket(
        through relay: inout any AppRelay, now: SessionClock.Instant
    ) -> (packet: [UInt8]?, events: [ChatEvent]) {
        var events: [ChatEvent] = []
        while true {
            if let packet = attempt.takePacket() { return (packet, events) }
            guard let message = next(capacity: relay.textCapacity, now: now) else { return (nil, events) }
            var packets: [[UInt8]] = []
            if case .answer(_, isFirst: true, _) = message, attempt.isRepetition { packets = relay.packets(for: .again) }
            packets += relay.packets(for: message)
            attempt.load(packets, expected: relay.awaitedReceipt, folding: relay.folding)
            // What folds to nothing takes no packet.
            if packets.isEmpty { events += packetTaken(now: now) }
        }
    }

    /// The link has taken the packet that was handed out last.
    mutating func packetTaken(now: SessionClock.Instant) -> [ChatEvent] {
        guard case .ending(let ending) = attempt.state, ending.packets.isEmpty, let id = deliveries.first?.id else { return [] }
        var events: [ChatEvent] = []
        if !attempt.isRepetition, !ending.folding.isExact { events.append(.folded(id, ending.folding)) }
        guard let expected = ending.expected else {
            removeFirst()
            return events + [.sent(id, awaitsReceipt: false)]
        }
        if !attempt.isRepetition { events.append(.sent(id, awaitsReceipt: true)) }
        attempt.state = .awaitingReceipt(expected, until: now.advanced(by: DeliveryAttempt.receiptTimeout))
        return events + (ending.early.map { receive($0) } ?? [])
    }

    // MARK: - Receipts

    mutating func receive(_ receipt: AnswerReceipt) -> [ChatEvent] {
        switch attempt.state {
        case .awaitingReceipt(let expected, _):
            guard receipt == expected else { return lost(.accepted(byteCount: receipt.byteCount, sent: expected.byteCount)) }
            defer { removeFirst() }
            return deliveries.first.map { [.delivered($0.id)] } ?? []
        case .ending(var ending) where ending.packets.isEmpty && ending.expected != nil:
            ending.early = receipt
            attempt.state = .ending(ending)
            return []
        case .waiting, .streaming, .ending: return [.notice(.unexpectedReceipt)]
        }
    }

    mutating func advance(now: SessionClock.Instant) -> [ChatEvent] {
        guard let deadline = attempt.receiptDeadline, deadline <= now else { return [] }
        return lost(.noReceipt)
    }

    /// The first delivery has not arrived: once, all of it is sent again.
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
