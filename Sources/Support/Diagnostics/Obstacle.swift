/// What stands in the way of a run.
public enum Obstacle: Sendable, Hashable {
    /// The link or the radio failed.
    case link
    case silence
    /// The answer is to something else.
    case garbage
    /// The unit's heap is full.
    case memory
    /// The unit's program cannot be interrupted.
    case program
    /// The link ends with the program that is interrupted, or by itself.
    case restart

    /// The mildest first.
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

    /// Where the unit's application has no link: there is nothing to interrupt.
    public var withoutLink: Obstacle {
        switch self {
        case .link, .silence, .garbage, .memory: .link
        case .program, .restart: self
        }
    }
}

/// What is done before a unit that failed is asked again.
public enum Remedy: String, Sendable {
    case interrupt
    /// A fresh interpreter, which runs the unit's program until it is interrupted.
    case softReset = "soft-reset"
    /// A restart of the unit that leaves its program out.
    case safeMode = "safe-mode"
    case reconnect

    public var words: String {
        switch self {
        case .interrupt: "an interrupt"
        case .softReset: "a restart of its interpreter"
        case .safeMode: "a restart into safe mode"
        case .reconnect: "a new link"
        }
    }
}
