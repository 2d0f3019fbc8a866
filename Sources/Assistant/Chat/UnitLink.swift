import Support

/// Whether there is a link to the unit. What belongs to a link goes with it.
enum LinkState {
    /// - wasSilent: over the last link the program never announced itself.
    case down(wasSilent: Bool)
    case up(UnitLink)

    var link: UnitLink? {
        get { if case .up(let link) = self { link } else { nil } }
        set { if let newValue { self = .up(newValue) } }
    }

    /// Nobody waits for the unit's program any more.
    var isSilent: Bool {
        switch self {
        case .down(let wasSilent): wasSilent
        case .up(let link): link.program == .silent
        }
    }

    mutating func drop() { self = .down(wasSilent: isSilent) }
}

/// One link to the unit, from its beginning to its loss.
struct UnitLink {
    enum Program: Equatable {
        /// Has until then to announce itself.
        case starting(readyBy: SessionClock.Instant)
        /// Has not announced itself in its time: it gets no text until it does.
        case silent
        case ready
    }

    private(set) var program: Program
    /// The wearer takes a picture or speaks: text sent before the recording's end would be lost.
    var isRecording = false
    var line = PacketLine()

    init(readyBy: SessionClock.Instant) { program = .starting(readyBy: readyBy) }

    var isReady: Bool { program == .ready }
    var takesText: Bool { isReady && !isRecording }
    /// Something is under way over this link.
    var isBusy: Bool { isRecording || !line.isIdle }

    var readyDeadline: SessionClock.Instant? {
        if case .starting(let deadline) = program { deadline } else { nil }
    }

    mutating func becomeReady() { (program, isRecording) = (.ready, false) }

    /// - Returns: whether the time to announce itself has just passed.
    mutating func advance(now: SessionClock.Instant) -> Bool {
        guard let deadline = readyDeadline, deadline <= now else { return false }
        // Data before the program's own sign may meet a callback that is no more.
        program = .silent
        return true
    }
}
