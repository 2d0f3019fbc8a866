import Support

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
