import Support

/// No unit of a family is in reach, with the family's own words for it.
public struct AbsentUnit: DiagnosableError {
    public let diagnosis: Diagnosis

    /// - Returns: `nil` where another error is meant, or none of the families has words of its own.
    public init?(_ error: UnitSelectionError, of families: [Family]) {
        guard families.count == 1, let absence = families[0].absence else { return nil }
        switch error {
        case .none, .noneWithName, .noneAtAddress, .otherFamily: break
        case .several, .noneNear, .unknownBootloader, .impostor: return nil
        }
        var diagnosis = error.diagnosis
        (diagnosis.cause, diagnosis.remedy) = (absence.cause, absence.remedy)
        self.diagnosis = diagnosis
    }
}
