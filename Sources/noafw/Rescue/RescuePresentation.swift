import Bluetooth
import Provisioning
import Support

/// The result of `rescue` as lines and as the document `noafw.rescue/1`.
struct RescuePresentation: RunPresentation {
    typealias Report = RescueReport

    struct Result: Sendable {
        /// Absent when the run ended before there was one.
        var report: RescueReport?
        /// What ended the run from outside or before a report.
        var error: Diagnosis?
        var hasBegun: Bool
        var seconds: Double
    }

    let isSingle = true
    var mayChangeUnit = true

    func result(of outcome: Supervisor.Outcome<RescueReport>, _ end: RunEnd) -> Result {
        let known = end.progress.single
        var result = Result(hasBegun: known.stage != nil, seconds: end.seconds)
        switch outcome {
        case .finished(let report): result.report = report
        case .failed(let error): result.error = diagnose(error)
        case .interrupted(let report):
            result.report = report
            result.error = known.interruption(mayChangeUnit: mayChangeUnit, arguments: end.context.arguments)
        }
        return result
    }

    func errors(of result: Result) -> [Diagnosis] { error(of: result).map { [$0] } ?? [] }

    func passed(_ result: Result) -> Bool { error(of: result) == nil && result.report?.passed == true }

    func exitCode(of result: Result) -> Int32 { error(of: result)?.category.rawValue ?? (result.report?.passed == true ? 0 : 1) }

    private func error(of result: Result) -> Diagnosis? {
        if let error = result.error ?? result.report?.units.compactMap(\.error).first { return error }
        guard result.report?.passed == false else { return nil }
        if let impostor = result.report?.impostors.first { return UnitSelectionError.impostor(impostor).diagnosis }
        return result.report?.strangers.first.map { UnitSelectionError.unknownBootloader($0).diagnosis }
    }

    func document(_ result: Result) -> JSONText {
        let error = error(of: result)
        return .object([
            ("schema", .string("noafw.rescue/1")),
            ("verdict", .string(error == nil ? "pass" : "fail")),
            ("units", .array((result.report?.units ?? []).map { ReportText.document($0, result.report?.verdict($0).document) })),
            ("strangers", .array((result.report?.strangers ?? []).map { .string($0.address.description) })),
            ("impostors", .array((result.report?.impostors ?? []).map { .string($0.advertisedAddress.description) })),
            ("running", .optional(result.report?.running?.address.description)),
            ("error", error.map(ReportText.document) ?? .null),
        ])
    }

    func summary(_ result: Result, style: TextStyle) -> [String] {
        let time = "(\(Format.seconds(result.seconds)) s)"
        let units = result.report?.units ?? []
        var lines = units.map { unit in
            let verdict = result.report?.verdict(unit) ?? .fail
            return "\(style.paint(verdict.word, verdict.tone))  \(unit.family) \(unit.identity.address)\(unit.error.map { ": \(UntrustedText.escape($0.message))" } ?? "")"
        }
        lines += (result.report?.strangers ?? []).map { "\(style.paint("LEFT", .careful))  \($0.family.rawValue) \($0.address), not met before" }
        lines += (result.report?.impostors ?? []).map {
            "\(style.paint("LEFT", .careful))  \($0.family.rawValue) \($0.address) runs its application; the bootloader at \($0.advertisedAddress) is another device's"
        }
        if let error = result.error, result.report == nil {
            return [ReportText.verdict(error, hasBegun: result.hasBegun, style) + " " + time]
        }
        if error(of: result) == nil, units.isEmpty {
            let finding = result.report?.running.map { "\($0.address) runs its application: it is not stranded" } ?? "no unit was heard in its bootloader"
            lines.append("\(style.paint("PASS", .good))  \(finding)")
        }
        return lines + [time]
    }
}
