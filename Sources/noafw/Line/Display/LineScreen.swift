import Provisioning
import Support

/// What the operator of a line sees: always the same number of lines, each of the full width at most.
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
        /// No more units are taken.
        case drain
    }

    var verdict: Verdict?
    var task = Task.wait
    /// A scan that was refused, a notice: until the next event.
    var remark: String?
    var count = ShiftCount()
    var progress: ProgressModel?

    mutating func end(_ entry: FleetEntry<UnitReport>, serial: String?) {
        if let address = entry.unit.address { count.note(address, entry.error) }
        verdict = Verdict(verdict: entry.verdict, unit: entry.unit.id, serial: serial, error: entry.error, seconds: entry.seconds)
        task = .wait
        progress = nil
    }

    /// - Parameter columns: the terminal's width; the last column stays free.
    func lines(style: TextStyle, columns: Int, rows: Int, at now: Duration) -> [String] {
        let width = max(columns - 1, 1)
        let texts = [details, next, "", status(now, width), remark ?? "", count.text].map { DisplayWidth.prefix($0, columns: width) }
        let banner = banner(style, width)
        // A low terminal has room for the words alone.
        return rows > banner.count + texts.count ? banner + texts : Array(texts.suffix(max(1, rows - 1)))
    }

    /// While a unit runs its predecessor's verdict is gone: nobody takes the one for the other.
    private var shown: Verdict? { if case .run = task { nil } else { verdict } }

    private func banner(_ style: TextStyle, _ width: Int) -> [String] {
        let (word, sign, tone): (String, String, TextStyle.Tone) = if let shown {
            (shown.verdict.word, shown.verdict.sign(style), shown.verdict.tone)
        } else {
            ("", "", .strong)
        }
        let block = word.isEmpty ? nil : BlockLetters.lines(word, columns: width - 4)
        let rows = block ?? Array(repeating: "", count: BlockLetters.rows / 2) + [word.isEmpty ? "" : "\(word) \(sign)"]
            + Array(repeating: "", count: BlockLetters.rows / 2)
        return rows.map { row in
            let line = Self.centred(row, width: width)
            return word.isEmpty ? "" : style.band(line, tone)
        }
    }

    private static func centred(_ text: String, width: Int) -> String {
        let text = DisplayWidth.prefix(text, columns: width)
        let room = max(0, width - DisplayWidth.columns(text))
        return String(repeating: " ", count: room / 2) + text + String(repeating: " ", count: room - room / 2)
    }

    var details: String {
        if case .run(let unit, let serial) = task { return "RUNNING  \(Self.named(unit, serial))" }
        guard let shown else { return "" }
        let sign = shown.verdict.sign(TextStyle(isColoured: false))
        let when = shown.before.map { "(\($0))" } ?? "(\(Format.seconds(shown.seconds)) s)"
        let error = shown.error.map { "  \($0.code) \(UntrustedText.escape($0.message))" } ?? ""
        return "\(shown.verdict.word) \(sign)  \(Self.named(shown.unit, shown.serial)) \(when)\(error)"
    }

    private static func named(_ unit: String, _ serial: String?) -> String {
        UntrustedText.escape(unit) + (serial.map { "  serial \(UntrustedText.escape($0))" } ?? "")
    }

    /// What to do, in one sentence.
    var next: String {
        switch task {
        case .run: "next: leave the unit where it is until the verdict is there."
        case .several: "next: take all units away but one."
        case .drain: "next: nothing; the line ends."
        case .scan, .wait:
            switch shown?.verdict {
            case nil: ""
            case .pass: "next: take the unit away and put the next one here."
            case .fail: "next: put the unit with the failed ones; then put the next one here."
            case .error, .interrupted, .notReached, .notStarted, .notExpected, .inUse: "next: \(UntrustedText.escape(shown?.error?.remedy ?? "try the unit once more"))"
            }
        }
    }

    private func status(_ now: Duration, _ width: Int) -> String {
        switch task {
        case .wait: "waiting for a unit"
        case .scan: "scan the unit's serial number"
        case .several(let units): "several units lie here: \(units.map { UntrustedText.escape($0) }.joined(separator: ", "))"
        case .run: progress.map { ProgressBar.line($0, at: now, columns: width + 1) } ?? "connect"
        case .drain: "no more units are taken"
        }
    }
}
