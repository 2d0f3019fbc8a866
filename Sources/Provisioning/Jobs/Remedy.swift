import Support

/// What is done about a unit that failed, before it is asked again.
public enum Remedy: String, Sendable {
    case interrupt
    /// A fresh interpreter, which runs `main.py` until it is interrupted.
    case softReset = "soft-reset"
    /// A restart of the unit that leaves `main.py` out.
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

/// A remedy that a run needed, and why.
public struct Recovery: Sendable {
    public var remedy: Remedy
    public var reason: Diagnosis

    /// As an operator is told.
    public var words: String { "\(reason.message) [\(reason.code)]: trying again after \(remedy.words)" }

    public init(remedy: Remedy, reason: Diagnosis) {
        self.remedy = remedy
        self.reason = reason
    }
}
