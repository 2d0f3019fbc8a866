import Bluetooth
import Provisioning
import Support

/// The result of `rescue` as lines and as the document `noafw.rescue/1`.
struct RescuePresentation: RunPresentation {
    struct Result: Sendable {
        var fleet: FleetRunResult<UnitReport>
        /// `nil` when the run ended before a report.
        var heard: StrandedUnits?
        var passed: Bool
    }

    let isSingle = false
    var mayChangeUnit = true

    private var units: FlashPresentation { FlashPresentation(isDryRun: !mayChangeUnit) }

    func result(of outcome: Supervisor.Outcome<RescueReport>, _ end: RunEnd) -> Result {
        switch outcome {
        case .finished(let report):
            var fleet = units.result(of: .finished(report.fleet), end)
            fleet.error = nil
            return Result(fleet: fleet, heard: report.heard, passed: report.passed && !fleet.isInterrupted)
        case .failed(let error): return Result(fleet: units.result(of: .failed(error), end), passed: false)
        case .interrupted(let report):
            return Result(fleet: units.result(of: .interrupted(report?.fleet), end), heard: report?.heard, passed: false)
        }
    }

    func errors(of result: Result) -> [Diagnosis] { error(of: result).map { [$0] } ?? [] }

    func passed(_ result: Result) -> Bool { error(of: result) == nil && result.passed }

    /// Nobody was verified where nobody is stranded.
    func verdict(of result: Result) -> PassMember? {
        let entries = result.fleet.report.entries
        let isUnverified = entries.isEmpty || entries.contains { $0.verdict == .planned }
        return passed(result) && isUnverified ? nil : PassMember(passed(result))
    }

    func exitCode(of result: Result) -> Int32 { error(of: result)?.category.rawValue ?? (result.passed ? 0 : 1) }

    private func error(of result: Result) -> Diagnosis? {
        let entries = result.fleet.report.entries
        if let error = result.fleet.error ?? entries.compactMap(\.error).first { return error }
        guard !result.passed else { return nil }
        if result.fleet.isInterrupted, entries.isEmpty { return CommandError.nothingBegun.diagnosis }
        if let impostor = result.heard?.impostors.first { return UnitSelectionError.impostor(impostor).diagnosis }
        return result.heard?.strangers.first.map { UnitSelectionError.unknownBootloader($0).diagnosis }
    }

    func document(_ result: Result) -> any Encodable & Sendable {
        let error = error(of: result)
        return RescueDocument(
            verdict: verdict(of: result), units: result.fleet.report.entries.map { units.unit($0, result.fleet) },
            strangers: (result.heard?.strangers ?? []).map(\.address.description),
            impostors: (result.heard?.impostors ?? []).map(\.advertisedAddress.description),
            running: result.heard?.running?.address.description,
            error: error)
    }

    func summary(_ result: Result, style: TextStyle) -> [String] {
        let time = "(\(Format.seconds(result.fleet.seconds)) s)"
        let entries = result.fleet.report.entries
        var lines = entries.map { entry in
            let address = UntrustedText.escape(entry.unit.address?.labelled ?? entry.unit.id)
            let error = entry.error.map { ": \(UntrustedText.escape($0.message))" } ?? ""
            return "\(style.paint(entry.verdict.word, entry.verdict.tone))  \(entry.unit.family?.rawValue ?? "-") \(address)\(error)"
        }
        lines += (result.heard?.strangers ?? []).map {
            "\(style.paint("LEFT", .careful))  \($0.family.rawValue) \(UntrustedText.escape($0.address.labelled)), not met before"
        }
        lines += (result.heard?.impostors ?? []).map {
            "\(style.paint("LEFT", .careful))  \($0.family.rawValue) \(UntrustedText.escape($0.address.labelled)) runs its application; "
                + "the bootloader at "
                + "\($0.advertisedAddress) is another device's"
        }
        if let error = error(of: result), result.heard == nil || entries.isEmpty && result.fleet.isInterrupted {
            return lines + [ReportText.verdict(error, hasBegun: !entries.isEmpty, style) + " " + time]
        }
        if passed(result), entries.isEmpty {
            let finding =
                result.heard?.running.map { "\($0.address) runs its application: it is not stranded" }
                ?? "no unit was heard in its bootloader"
            lines.append("\(style.paint("NOTHING TO DO", .careful))  \(finding)")
        }
        return lines + [time]
    }
}
