import Support

/// How a Frame's program and the app get to know each other over a link: the program's version, our ``FrameMessage/hello``, its answer.
struct FrameGreeting {
    private enum State {
        case silent
        case asked(attempt: Int, until: SessionClock.Instant)
        case ready(isAnswered: Bool)
    }

    private static let timeout = Duration.seconds(1)
    private static let attempts = 2
    private static let versionLimit = 200

    private var state = State.silent
    private var version: [UInt8] = []

    /// The program knows our messages.
    var isAnswered: Bool { if case .ready(isAnswered: true) = state { true } else { false } }

    var deadline: SessionClock.Instant? { if case .asked(_, let deadline) = state { deadline } else { nil } }

    /// - Returns: the version, when all of it is there. Printable.
    mutating func take(version data: ArraySlice<UInt8>, isWhole: Bool) -> String? {
        version = Array((version + data).prefix(Self.versionLimit))
        guard isWhole else { return nil }
        defer { version = [] }
        return PrintableText.of(version)
    }

    mutating func begin(now: SessionClock.Instant) -> [RelayEvent] { ask(attempt: 1, now: now) }

    private mutating func ask(attempt: Int, now: SessionClock.Instant) -> [RelayEvent] {
        state = .asked(attempt: attempt, until: now.advanced(by: Self.timeout))
        return [.send(FrameMessage.hello.packet())]
    }

    mutating func answered() -> [RelayEvent] {
        guard case .asked = state else { return [] }
        state = .ready(isAnswered: true)
        return [.ready]
    }

    mutating func advance(now: SessionClock.Instant) -> [RelayEvent] {
        guard case .asked(let attempt, let deadline) = state, deadline <= now else { return [] }
        if attempt < Self.attempts { return ask(attempt: attempt + 1, now: now) }
        state = .ready(isAnswered: false)
        return [.ready]
    }
}
