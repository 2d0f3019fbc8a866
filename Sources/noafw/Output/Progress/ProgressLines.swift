import Provisioning

/// The run as plain lines, for logs and for what happens above a bar.
struct ProgressLines: Sendable {
    var isVerbose: Bool
    /// Tenths of the job that were told already.
    private var tenthsTold = 0

    init(isVerbose: Bool) { self.isVerbose = isVerbose }

    /// The lines for an event that `model` has taken in already. Device text is escaped.
    mutating func lines(for event: RunEvent, _ model: ProgressModel, at now: Duration) -> [String] {
        text(for: event, model, at: now).map { line in
            isVerbose ? "\(Format.seconds(model.elapsed(at: now).inSeconds).padded(to: 7, rightAligned: true)) s  \(line)" : line
        }
    }

    private mutating func text(for event: RunEvent, _ model: ProgressModel, at now: Duration) -> [String] {
        switch event.content {
        case .stage(let stage): [stage.name]
        case .progress: tenths(model, at: now)
        case .notice(let notice): ["note: \(UntrustedText.escape(UnitLabels.labelled(notice), limit: UntrustedText.noticeLimit))"]
        case .recovery(let recovery): ["note: \(UntrustedText.escape(recovery.words))"]
        case .found(let family): event.unit?.address.map { ["\(family) \(UntrustedText.escape($0.labelled))"] } ?? []
        case .probed(let unit): [ComponentFormatter.describe(unit)]
        case .step(let step): [ComponentFormatter.describe(step)]
        case .units, .started, .planned, .recorded, .ended, .place: []
        }
    }

    private mutating func tenths(_ model: ProgressModel, at now: Duration) -> [String] {
        let tenth = Int(model.overall * 10)
        guard tenth > tenthsTold else { return [] }
        tenthsTold = tenth
        let stage = model.stage.map { "\($0.name) " } ?? ""
        let details = [
            model.bytesPerSecond.map(Format.rate), model.secondsLeft(at: now).map { "\(Format.clock(seconds: $0)) left" },
        ].compactMap { $0 }
        return [(["\(stage)\(tenth * 10) %"] + details).joined(separator: "  ")]
    }
}
