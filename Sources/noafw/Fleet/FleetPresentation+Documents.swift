import Bluetooth
import Provisioning
import Support

extension FleetVerdict {
    /// In the documents: a unit that nothing was done to has neither passed nor failed.
    var document: PassMember? {
        switch self {
        case .pass: .pass
        case .fail, .error, .interrupted: .fail
        case .planned, .notReached, .notStarted, .notExpected, .inUse: nil
        }
    }
}

extension FleetPresentation {
    /// - Parameter program: how the unit's program has shown that it lives.
    func member(_ entry: FleetEntry<UnitVerdict>, _ result: Result, program: ProgramVerification?) -> UnitMember {
        let error = isSingle ? error(of: result) : entry.error
        let unit = entry.unit
        let recoveries = (entry.report?.recoveries ?? []).map { RecoveryMember($0) }
        let address = result.identity(entry)?.address ?? unit.address
        var names = UnitMember.Names(id: unit.id.isEmpty ? nil : unit.id, family: unit.family, address: address?.description)
        names.label = address.flatMap { UnitLabels.known[$0] }
        var member = UnitMember(
            names: names,
            result: .init(
                verdict: entry.verdict.document, fault: error?.fault, error: error, program: program?.sign, recoveries: recoveries,
                run: result.known(entry).run))
        if !isSingle {
            (member.result.outcome, member.result.seconds, member.result.adapter) = (entry.verdict, entry.seconds, .some(entry.adapter))
        }
        return member
    }
}

extension FleetMember {
    init<Report>(_ result: FleetRunResult<Report>, seed: UInt64? = nil, comparedWith: String? = nil) {
        let verdicts = result.report.entries.map(\.verdict)
        self.init(
            units: verdicts.count, counts: Counts(verdicts), stop: result.report.stop, interrupted: result.isInterrupted,
            seconds: result.seconds,
            error: result.error, seed: seed, comparedWith: comparedWith)
    }
}
