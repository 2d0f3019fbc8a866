import Provisioning
import Support

/// What the operator of a line sees: a block of lines of the full width at most. What is longer goes on in the next line.
struct LineScreen: Sendable {
    struct Verdict: Sendable {
        var verdict: FleetVerdict
        var unit: String
        var serial: String?
        var error: Diagnosis?
        var seconds: Double
        /// For a unit that was here already: when it got its verdict.
        var before: String?
    }

    enum Task: Sendable {
        case wait
        case scan
        case several([String])
        case run(unit: String, serial: String?)
    }

    /// Notices that are shown at once.
    static let noticeLimit = 3

    var verdict: Verdict?
    var task = Task.wait
    /// No more units are taken.
    var isDraining = false
    /// What the last scan came to, until the next unit runs.
    var answer: String?
    /// Since the last unit began.
    private(set) var notices: [String] = []
    private(set) var count = ShiftCount()
    var progress: ProgressModel?

    mutating func begin(_ unit: FleetUnit, serial: String?) {
        task = .run(unit: unit.id, serial: serial)
        (progress, answer, notices) = (nil, nil, [])
    }

    mutating func end(_ unit: FleetUnit, _ result: UnitResult, seconds: Double) {
        if let address = unit.address { count.note(address, result.error) }
        let serial: String? = if case .run(unit.id, let serial) = task { serial } else { nil }
        verdict = Verdict(verdict: result.verdict, unit: unit.id, serial: serial, error: result.error, seconds: seconds)
        task = .wait
        progress = nil
    }

    mutating func note(_ notice: String) {
        notices.removeAll { $0 == notice }
        notices = (notices + [notice]).suffix(Self.noticeLimit)
    }

    /// While a unit runs its predecessor's verdict is gone: nobody takes the one for the other.
    var shown: Verdict? { if case .run = task { nil } else { verdict } }
}

// MARK: - Words

extension LineScreen {
    func details(_ style: TextStyle) -> String {
        if case .run(let unit, let serial) = task { return "RUNNING  \(Self.named(unit, serial))" }
        guard let shown else { return "" }
        let when = shown.before.map { "(\($0))" } ?? "(\(Format.seconds(shown.seconds)) s)"
        let error = shown.error.map { "  \($0.code) \(UntrustedText.escape($0.message))" } ?? ""
        return "\(shown.verdict.word) \(shown.verdict.sign(style))  \(Self.named(shown.unit, shown.serial)) \(when)\(error)"
    }

    private static func named(_ unit: String, _ serial: String?) -> String {
        UntrustedText.escape(unit) + (serial.map { "  serial \(UntrustedText.escape($0))" } ?? "")
    }

    /// What to do, in one sentence.
    var next: String {
        switch task {
        case .run: "next: leave the unit where it is until the verdict is there."
        case .several: "next: take all units away but one."
        case .scan, .wait: shown.map(next(after:)) ?? ""
        }
    }

    private func next(after shown: Verdict) -> String {
        let end = isDraining ? "the line ends." : "put the next one here."
        return switch shown.verdict {
        case .pass: "next: take the unit away\(isDraining ? ";" : " and") \(end)"
        case .fail: "next: put the unit with the failed ones; \(isDraining ? "" : "then ")\(end)"
        case .error: "next: \(Self.remedy(shown))\(isDraining ? "" : "; to try the unit again, take it away for 10 s and put it back.")"
        case .planned, .interrupted, .notReached, .notStarted, .notExpected, .inUse: "next: \(Self.remedy(shown))"
        }
    }

    private static func remedy(_ shown: Verdict) -> String {
        UntrustedText.escape(shown.error?.remedy ?? "try the unit once more", limit: UntrustedText.noticeLimit)
    }

    var status: String {
        switch task {
        case .run: isDraining ? "no more units are taken; press Ctrl-C again to end this one, too" : ""
        case .wait, .scan, .several: isDraining ? "no more units are taken" : waiting
        }
    }

    private var waiting: String {
        switch task {
        case .wait, .run: "waiting for a unit"
        case .scan: "scan the unit's serial number"
        case .several(let units): "several units lie here: \(units.map { UntrustedText.escape($0) }.joined(separator: ", "))"
        }
    }
}
