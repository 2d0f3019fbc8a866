/// What a unit's component comes to, beside what was expected of it.
enum FindingState: String, Sendable, CaseIterable {
    case matches
    /// It differs, and the allow-list says that it may.
    case allowed
    case drifted
    case older
    case newer
    /// The unit does not say.
    case unknown
    /// The unit was not asked: it was not found, or the link failed.
    case unreachable
    /// Nothing is known of what it should be.
    case notExpected = "not_expected"

    var isGood: Bool {
        switch self {
        case .matches, .allowed, .notExpected: true
        case .drifted, .older, .newer, .unknown, .unreachable: false
        }
    }
}
