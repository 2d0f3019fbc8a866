/// What keeps a run from going on for now, from which follows what may help.
public enum Obstacle: Sendable, Hashable {
    /// The link or the radio failed.
    case link
    case silence
    /// Something else came than was asked for.
    case garbage
    /// The unit's heap is full.
    case memory
    /// The unit's program does not let itself be interrupted.
    case program
    /// The link goes with the program that is interrupted, or by itself.
    case restart

    /// The mildest that may help first.
    public var remedies: [Remedy] {
        switch self {
        case .link: [.reconnect, .reconnect]
        case .silence: [.interrupt, .reconnect, .safeMode]
        case .garbage: [.interrupt, .softReset, .reconnect, .safeMode]
        case .memory: [.softReset, .safeMode, .safeMode]
        case .program: [.safeMode, .reconnect]
        case .restart: [.reconnect, .safeMode, .reconnect]
        }
    }

    /// The obstacle where the unit's application has no link: there is nothing to interrupt.
    public var withoutLink: Obstacle {
        switch self {
        case .link, .silence, .garbage, .memory: .link
        case .program, .restart: self
        }
    }
}

/// What is done about a unit that failed, before it is asked again.
public enum Remedy: String, Sendable {
    case interrupt
    /// A fresh interpreter, which runs the unit's program until it is interrupted.
    case softReset = "soft-reset"
    /// A restart of the unit that leaves its program out.
    case safeMode = "safe-mode"
    case reconnect

    /// What it is done by.
    public var words: String {
        switch self {
        case .interrupt: "an interrupt"
        case .softReset: "a restart of its interpreter"
        case .safeMode: "a restart into safe mode"
        case .reconnect: "a new link"
        }
    }
}
