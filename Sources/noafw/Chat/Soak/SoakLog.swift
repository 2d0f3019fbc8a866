import Assistant
import Bluetooth
import Support

/// Tracks a soak's messages as a state machine: events in, pings to repeat out.
struct SoakLog {
    /// An unanswered ping is sent again; the relays give one up after 6 s.
    private static let pingTimeout = Duration.seconds(8)

    private struct Ping {
        var number: Int
        var asked: SessionClock.Instant
    }

    let plan: SoakPlan
    private(set) var result: SoakResult
    private var texts: [TurnID: (number: Int, asked: SessionClock.Instant)] = [:]
    private var pings: [ConfirmationID: Ping] = [:]
    private var givenUpCount = 0
    private var newestText = 0
    private var newestPing = 0
    private let newID: @Sendable () -> ConfirmationID

    init(plan: SoakPlan, newID: @escaping @Sendable () -> ConfirmationID = ChatOptions().newConfirmation) {
        (self.plan, self.newID) = (plan, newID)
        result = SoakResult(planned: plan.count)
    }

    /// Messages still open.
    var openCount: Int { max(pings.count, result.sent - result.delivered - givenUpCount) }

    mutating func begin(_ number: Int, now: SessionClock.Instant) -> [SessionCommand] {
        result.sent += 1
        return [.tell(plan.text(number)), ping(number, now: now)]
    }

    private mutating func ping(_ number: Int, now: SessionClock.Instant) -> SessionCommand {
        let id = newID()
        pings[id] = Ping(number: number, asked: now)
        return .ping(id)
    }

    /// - Returns: messages to send again.
    mutating func take(_ event: ChatEvent, now: SessionClock.Instant) -> [SessionCommand] {
        switch event {
        case .asked(let id, .notice(let text)):
            if let number = text.split(separator: " ").first.flatMap({ Int($0) }), text == plan.text(number) { texts[id] = (number, now) }
        case .delivered(let id), .sent(let id, awaitsReceipt: false): delivered(id, now: now)
        case .repeated(let id, _): if texts[id] != nil { result.repeated += 1 }
        case .undeliverable(let id, _), .cancelled(let id, _): if texts.removeValue(forKey: id) != nil { givenUpCount += 1 }
        case .pong(let id): answered(id)
        case .notice(.unexpectedReceipt), .notice(.unknownConfirmation): result.duplicates += 1
        case .connected: result.reconnects += 1
        case .ready: return askAgain(now: now) { _ in true }
        default: break
        }
        return []
    }

    mutating func advance(now: SessionClock.Instant) -> [SessionCommand] {
        askAgain(now: now) { $0.asked.advanced(by: Self.pingTimeout) <= now }
    }

    private mutating func askAgain(now: SessionClock.Instant, where isDue: (Ping) -> Bool) -> [SessionCommand] {
        let due = pings.filter { isDue($0.value) }.sorted { $0.value.number < $1.value.number }
        return due.map { id, old in
            pings[id] = nil
            result.askedAgain += 1
            return ping(old.number, now: now)
        }
    }

    private mutating func delivered(_ id: TurnID, now: SessionClock.Instant) {
        guard let text = texts.removeValue(forKey: id) else { return }
        result.delivered += 1
        result.longestDelivery = max(result.longestDelivery, text.asked.duration(to: now))
        if text.number < newestText { result.reordered += 1 }
        newestText = max(newestText, text.number)
    }

    private mutating func answered(_ id: ConfirmationID) {
        guard let ping = pings.removeValue(forKey: id) else { return }
        result.answered += 1
        if ping.number < newestPing { result.reordered += 1 }
        newestPing = max(newestPing, ping.number)
    }
}
