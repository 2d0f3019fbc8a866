import Support

/// How a run ended. `fail` means that the unit is bad, `error` that the test was.
public enum RunOutcome: String, Sendable, Codable, CaseIterable { case pass, fail, error, timeout, aborted }

/// Whose fault it was that a run did not pass.
public enum Blame: String, Sendable, Codable, CaseIterable { case unit, station, radio, input, `operator` }

public struct RunVerdict: Sendable, Hashable {
    public let outcome: RunOutcome
    /// `nil` only for a run that passed.
    public let blame: Blame?
    /// The first error's.
    public let code: String?

    private init(_ outcome: RunOutcome, _ blame: Blame?, code: String?) {
        (self.outcome, self.blame, self.code) = (outcome, blame, code)
    }

    public static let pass = RunVerdict(.pass, nil, code: nil)

    /// A run fails only by its unit's fault: anything else says nothing about the unit.
    public init(_ diagnosis: Diagnosis, isTimeLimit: Bool = false) {
        let blame = Self.blame(of: diagnosis)
        let outcome: RunOutcome =
            if diagnosis.category == .interrupted { .aborted } else if isTimeLimit { .timeout } else { blame == .unit ? .fail : .error }
        self.init(outcome, blame, code: diagnosis.code)
    }

    /// For a run whose process was killed, crashed or lost power.
    public static let abandoned = RunVerdict(.aborted, .station, code: LedgerError.abandonedCode)

    private static func blame(of diagnosis: Diagnosis) -> Blame {
        if diagnosis.category == .interrupted { return .operator }
        return switch diagnosis.fault {
        case .unit: .unit
        case .station: .station
        case .radio: .radio
        case nil: .input
        }
    }
}
