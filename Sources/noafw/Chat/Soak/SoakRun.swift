import Assistant
import Bluetooth
import Support

/// Performs a soak: sends each message in time, and waits for the rest at the end.
struct SoakRun: Sendable {
    let plan: SoakPlan
    let clock: SessionClock
    /// Carries a virtual unit out of reach for a moment.
    var cut: @Sendable () -> Void = {}

    /// With more open messages the next one waits.
    private static let openLimit = 6
    private static let look = Duration.seconds(1)
    /// For the messages still open after the last one.
    private static let endTimeout = Duration.seconds(60)

    /// - Parameter note: gets every event; returns whether to go on.
    /// - Returns: the final counts.
    /// - Throws: ``CommandError/unitStaysAway(seconds:returns:reason:)``.
    func run(
        _ commands: Inbox<SessionCommand>, _ inputs: Inbox<ChatInput>, note: (ChatInput) -> Bool
    ) async throws -> SoakResult {
        var log = SoakLog(plan: plan)
        var absence = UnitAbsence()
        var next = clock.now
        var nextCut = plan.cutInterval.map { clock.deadline(in: $0) }
        for number in 1...plan.count {
            while clock.now < next || log.openCount >= Self.openLimit {
                let until = clock.now < next ? next : clock.deadline(in: Self.look)
                guard try await look(until: until, &log, &absence, commands, inputs, note) else { return log.result }
            }
            next = clock.deadline(in: plan.interval)
            if let due = nextCut, due <= clock.now {
                cut()
                nextCut = plan.cutInterval.map { clock.deadline(in: $0) }
            }
            for command in log.begin(number, now: clock.now) { commands.deliver(command) }
        }
        let end = clock.deadline(in: Self.endTimeout)
        while log.openCount > 0, clock.now < end {
            guard try await look(until: min(end, clock.deadline(in: Self.look)), &log, &absence, commands, inputs, note) else { break }
        }
        return log.result
    }

    private func look(
        until deadline: SessionClock.Instant, _ log: inout SoakLog, _ absence: inout UnitAbsence, _ commands: Inbox<SessionCommand>,
        _ inputs: Inbox<ChatInput>, _ note: (ChatInput) -> Bool
    ) async throws -> Bool {
        let input = try await inputs.next(before: min(deadline, absence.deadline ?? deadline), on: clock)
        var again = log.advance(now: clock.now)
        var goesOn = true
        if let input {
            goesOn = note(input)
            if case .event(let event, _) = input {
                absence.take(event, on: clock)
                again += log.take(event, now: clock.now)
            }
        } else if let end = absence.deadline, end <= clock.now {
            throw absence.error
        }
        for command in again { commands.deliver(command) }
        return goesOn
    }
}

/// Numbered messages, one per interval.
struct SoakPlan: Sendable, Hashable {
    static let countLimit = 100_000
    private static let leastInterval = 0.1

    var count: Int
    var interval: Duration
    /// How often a virtual unit is carried out of reach.
    var cutInterval: Duration?

    /// `COUNT every SECONDS`, perhaps with `cut every SECONDS`.
    /// - Parameter duration: the seconds in a text such as `2s` or `500ms`.
    init?(_ text: String, duration: (String) -> Double?) {
        func interval(_ text: Substring) -> Duration? {
            duration(String(text)).flatMap { $0 >= Self.leastInterval ? .seconds($0) : nil }
        }
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 3 || words.count == 6, words[1] == "every", let count = Int(words[0]),
            (1...Self.countLimit).contains(count), let pause = interval(words[2])
        else { return nil }
        (self.count, self.interval) = (count, pause)
        guard words.count == 6 else { return }
        guard words[3...4].elementsEqual(["cut", "every"]), let cuts = interval(words[5]) else { return nil }
        cutInterval = cuts
    }

    func text(_ number: Int) -> String { "\(number) of \(count)" }
}
