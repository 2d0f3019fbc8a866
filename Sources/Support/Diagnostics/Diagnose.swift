/// The diagnosis of any error.
///
/// An error that no module explains is a fault in noafw or the machine. It never counts against a unit.
public func diagnose(_ error: any Error) -> Diagnosis {
    if let known = error as? any DiagnosableError { return known.diagnosis }
    if error is CancellationError {
        return Diagnosis("PRV-0130", .interrupted, nil, "interrupted",
            cause: "the run was cancelled", remedy: "run the same command again; it continues where it stopped")
    }
    return Diagnosis("NOA-0004", .inputOutput, .station, "unexpected error: \(SystemError.text(error))",
        cause: "a fault in noafw or of this machine",
        remedy: "run the same command again; if it fails again, report it with the output of -v")
}
