/// What keeps an answer from coming, and what a session tries against it.
public enum Obstacle: Sendable, Hashable {
    /// The link is lost.
    case link
    /// The unit has not been seen since the run began, or since its last link.
    case absence
    /// The link stands, and nothing comes.
    case silence
    /// The answer belongs to something else.
    case garbage
    /// The unit has no room for the answer.
    case memory
    /// The unit's own program has the prompt.
    case program
    /// The link ends when the program is interrupted, or by itself.
    case restart

    /// The mildest first.
    public var remedies: [Remedy] {
        switch self {
        case .link, .absence: [.reconnect, .reconnect]
        case .silence: [.interrupt, .reconnect, .safeMode]
        case .garbage: [.interrupt, .softReset, .reconnect, .safeMode]
        case .memory: [.softReset, .safeMode, .safeMode]
        case .program: [.safeMode, .reconnect]
        case .restart: [.reconnect, .safeMode, .reconnect]
        }
    }

    /// For a unit whose application has no link: there is nothing to interrupt.
    public var withoutLink: Obstacle {
        switch self {
        case .link, .absence, .silence, .garbage, .memory: .link
        case .program, .restart: self
        }
    }
}

/// What is tried before a failed unit is asked again.
public enum Remedy: String, Sendable {
    /// Ctrl-C to the unit's program.
    case interrupt
    /// A new interpreter, which runs the unit's program until interrupted.
    case softReset = "soft-reset"
    /// A restart without the unit's program.
    case safeMode = "safe-mode"
    /// A new link.
    case reconnect

    /// For a line of progress.
    public var words: String {
        switch self {
        case .interrupt: "an interrupt"
        case .softReset: "a restart of its interpreter"
        case .safeMode: "a restart into safe mode"
        case .reconnect: "a new link"
        }
    }
}
