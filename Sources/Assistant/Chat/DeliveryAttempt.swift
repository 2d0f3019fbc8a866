import Support

/// One way of a delivery to the unit, from its first words to its receipt.
///
/// waiting → streaming → ending → awaiting its receipt. An error, or an answer that is whole, goes from waiting to ending.
struct DeliveryAttempt {
    enum State {
        /// Nothing of it has been handed out.
        case waiting
        /// So many bytes of its text have been handed out, the last of them at `since`.
        case streaming(sentBytes: Int, since: SessionClock.Instant, packets: [[UInt8]])
        /// All of its text has been handed out.
        case ending(Ending)
        case awaitingReceipt(AnswerReceipt, until: SessionClock.Instant)
    }

    struct Ending {
        /// The rest of what the last piece takes.
        var packets: [[UInt8]] = []
        /// What the unit was asked to accept; `nil` where it gives no receipts.
        var expected: AnswerReceipt?
        var folding = TextFolding()
        /// It overtook the link's word that its request is on the unit.
        var early: AnswerReceipt?
    }

    /// Text of less than a packet waits so long for more.
    static let textTimeout = Duration.milliseconds(300)
    /// From the request for a receipt to the receipt. The scripts look for requests every 40 ms; an exception costs them 1 s.
    static let receiptTimeout = Duration.seconds(5)

    /// The unit did not accept all of the first attempt.
    var isRepetition = false
    var state = State.waiting

    var hasBegun: Bool { if case .waiting = state { false } else { true } }

    /// All of the text has been handed out.
    var hasEnded: Bool {
        switch state {
        case .waiting, .streaming: false
        case .ending, .awaitingReceipt: true
        }
    }

    /// Bytes of text that have been handed out; `nil` where no more will be.
    var sentBytes: Int? {
        switch state {
        case .waiting: 0
        case .streaming(let count, _, _): count
        case .ending, .awaitingReceipt: nil
        }
    }

    /// When less than a packet has waited long enough; `nil` where nothing waits for company.
    var textDeadline: SessionClock.Instant? {
        if case .streaming(_, let since, _) = state { since.advanced(by: Self.textTimeout) } else { nil }
    }

    var receiptDeadline: SessionClock.Instant? {
        if case .awaitingReceipt(_, let deadline) = state { deadline } else { nil }
    }

    /// What ``Outbox/next(capacity:now:)`` handed out last has become packets.
    mutating func load(_ packets: [[UInt8]], expected: AnswerReceipt?, folding: TextFolding) {
        switch state {
        case .streaming(let count, let since, _): state = .streaming(sentBytes: count, since: since, packets: packets)
        case .ending: state = .ending(Ending(packets: packets, expected: expected, folding: folding))
        case .waiting, .awaitingReceipt: break
        }
    }

    mutating func takePacket() -> [UInt8]? {
        switch state {
        case .streaming(let count, let since, var packets) where !packets.isEmpty:
            let packet = packets.removeFirst()
            state = .streaming(sentBytes: count, since: since, packets: packets)
            return packet
        case .ending(var ending) where !ending.packets.isEmpty:
            let packet = ending.packets.removeFirst()
            state = .ending(ending)
            return packet
        case .waiting, .streaming, .ending, .awaitingReceipt: return nil
        }
    }
}
