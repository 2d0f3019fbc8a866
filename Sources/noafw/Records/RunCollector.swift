import Ledger
import Provisioning
import Support

/// What a record takes from the events of its run: a fold without a clock, each event comes with its time.
struct RunCollector: Sendable {
    /// The stage that goes on.
    private struct OpenStep {
        var stage: Stage
        var start: SessionClock.Instant
        var bytes = 0
    }

    private let begun: SessionClock.Instant
    private let digests: [Component: String]
    private let rollout: RolloutPlan?
    private var open: OpenStep?
    private var steps: [RunStep] = []
    private var retries = 0
    private var before: UnitIdentity?
    private var after: [Component: String] = [:]
    private var plan: Plan?
    /// What may have been sent; at the end, what was.
    private var sent: Set<Component> = []

    /// - Parameters:
    ///   - begun: when the record was opened, on the clock of the events.
    ///   - digests: of what the unit may be sent.
    ///   - rollout: of which the run is a part.
    init(begun: SessionClock.Instant, digests: [Component: String], rollout: RolloutPlan? = nil) {
        (self.begun, self.digests, self.rollout) = (begun, digests, rollout)
    }

    /// - Returns: whether the record should have it at once, since the run may not come to its end.
    mutating func take(_ event: RunEvent) -> Bool {
        switch event.content {
        case .stage(let stage):
            endStep(.pass, nil, at: event.time)
            open = OpenStep(stage: stage, start: event.time)
            return false
        case .progress(let stage, _, let done, _):
            if var step = open, step.stage == stage {
                step.bytes = max(step.bytes, done)
                open = step
            }
            return false
        case .recovery(let recovery):
            retries += 1
            let verdict = RunVerdict(recovery.reason)
            endStep(verdict.outcome, verdict.code, at: event.time)
            return true
        case .probed(let identity):
            if before == nil { (before, after) = (identity, identity.versions) }
            return true
        case .planned(let new):
            plan = new
            sent = Set(new.components.filter { $0.action != .current }.map(\.component))
            for component in sent { after[component] = nil }
            // The job itself waits for that (`JobOptions.beforeChange`).
            return false
        case .step(let step):
            note(step)
            return true
        case .notice, .found, .units, .started, .recorded, .ended, .place:
            return false
        }
    }

    private mutating func note(_ step: StepReport) {
        switch step.action {
        case .updated:
            sent.insert(step.component)
            after[step.component] = step.to
        case .current:
            sent.remove(step.component)
            after[step.component] = step.to
        case .skipped, .failed, .planned: break
        }
    }

    mutating func conclude(_ verdict: RunVerdict, _ report: (any RecordedReport)?, at time: SessionClock.Instant) {
        endStep(verdict.outcome, verdict.code, at: time)
        let reached = Set(steps.map(\.name))
        sent = sent.filter { component in
            let stages = plan?.components.first { $0.component == component }?.estimates.map(\.stage).filter(\.sendsBytes) ?? []
            return !reached.isDisjoint(with: [component.name] + stages.map(\.name))
        }
        guard let report, report.passed else { return }
        after = report.identity.versions.merging(after) { known, _ in known }
    }

    private mutating func endStep(_ outcome: RunOutcome, _ code: String?, at time: SessionClock.Instant) {
        guard let step = open else { return }
        open = nil
        steps.append(
            RunStep(
                name: step.stage.name, startMilliseconds: begun.duration(to: step.start).wholeMilliseconds,
                milliseconds: step.start.duration(to: time).wholeMilliseconds, bytes: step.stage.sendsBytes ? Int64(step.bytes) : nil,
                retries: steps.count { $0.name == step.stage.name && $0.outcome != .pass }, outcome: outcome, code: code))
    }

    func fill(_ record: inout RunRecord) {
        record.steps = steps
        record.retries = retries
        record.battery = before?.batteryPercent
        record.versionsBefore = Self.byName(before?.versions ?? [:])
        record.versionsAfter = Self.byName(after)
        record.digests = Self.byName(digests.filter { sent.contains($0.key) })
        record.plan = RecordedPlan(job: plan, rollout: rollout).json
    }

    private static func byName(_ texts: [Component: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: texts.map { ($0.key.name, $0.value) })
    }
}
