import Support

public enum RolloutStop: Sendable, Hashable {
    case repeated(code: String, count: Int)
    /// This many of the last finished units failed.
    case share(failed: Int, of: Int)
    /// This many of the units that had to pass first failed.
    case canary(failed: Int, code: String)
}

extension RolloutStop: DiagnosableError {
    /// Without a full stop.
    public var reason: String {
        switch self {
        case .repeated(let code, 1): "a unit failed with \(code)"
        case .repeated(let code, let count): "\(count) units in a row failed with \(code)"
        case .share(let failed, let count): "\(failed) of \(count) units failed"
        case .canary(1, let code): "the first unit failed with \(code)"
        case .canary(let failed, let code): "the first \(failed) units failed, the last one with \(code)"
        }
    }

    var remedy: String {
        "find the cause on the failed units; then run the same command again: units that are current already cost nothing"
    }

    public var diagnosis: Diagnosis {
        let (code, cause) = switch self {
        case .repeated: ("FLT-0010", "units that fail alike rarely have a fault of their own: the bundle or this station has it")
        case .share: ("FLT-0011", "the bundle, the units or this station have a fault that more than one unit shows")
        case .canary: ("FLT-0012", "the bundle is not for these units, or this station has a fault")
        }
        return Diagnosis(code, .unitFailed, nil, "no more units are started: \(reason)", cause: cause, remedy: remedy)
    }
}
