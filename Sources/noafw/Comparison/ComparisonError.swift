import Support

/// What is wrong with the files that units are compared with.
enum ComparisonError: Error, Sendable, Hashable {
    case noBaseline(path: String, reason: String)
    case badAllowance(path: String, line: Int, reason: String)
    /// A unit of the baseline that no longer is in reach.
    case gone(unit: String, baseline: String)
    /// A unit that was asked for and is not in the baseline.
    case notInBaseline(unit: String, baseline: String)
}

extension ComparisonError: DiagnosableError {
    var diagnosis: Diagnosis {
        switch self {
        case .noBaseline(let path, let reason):
            Diagnosis(
                "NOA-0046", .badData, nil, "\(path) is no baseline: \(reason)",
                cause: "the file is another one, or it was cut off", remedy: "make one with: noafw verify --all --json > FILE")
        case .badAllowance(let path, let line, let reason):
            Diagnosis(
                "NOA-0047", .badData, nil, "line \(line) of \(path) cannot be used: \(reason)",
                cause: "a line of an allow-list is CSV: unit or pattern, part, allowed value, reason, last day",
                remedy: "correct the line, or remove it")
        case .gone(let unit, let baseline):
            Diagnosis(
                "NOA-0048", .unavailable, .radio, "\(unit) of \(baseline) is not in reach",
                cause: "it is off, asleep on a charger, out of range or connected to another host",
                remedy: "bring the unit back and run the same command again, or make a new baseline without it")
        case .notInBaseline(let unit, let baseline):
            Diagnosis(
                "NOA-0049", .badData, nil, "\(baseline) does not have \(unit)",
                cause: "the unit is new, or the baseline was made from other units",
                remedy: "make a new baseline with: noafw verify --json > FILE")
        }
    }
}
