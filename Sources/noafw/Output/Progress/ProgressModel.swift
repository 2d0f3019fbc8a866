import Bluetooth
import Provisioning

/// What is known of a run from its events: a fold without a clock, every event comes with its time.
struct ProgressModel: Sendable {
    private(set) var stage: Stage?
    /// The last stage that changes what the unit stores, while its part is not concluded.
    private(set) var writingStage: Stage?
    /// 0…1 over the whole job; it never goes back, a repeated transfer included.
    private(set) var overall = 0.0
    /// `nil` until the unit was made out.
    private(set) var family: FamilyID?
    private(set) var identity: UnitIdentity?
    private(set) var steps: [StepReport] = []
    /// Of the run, as it was opened or closed; `nil` for one that is not recorded.
    private(set) var run: RunIdentity?

    private var startedAt: Duration?
    /// Of the current stage, oldest first.
    private var samples: [(at: Duration, bytes: Int)] = []
    /// Rates are averaged over this much time: long enough for a flash page's pause, short enough to follow a slow-down.
    private static let window: Duration = .seconds(3)

    mutating func apply(_ event: RunEvent, at now: Duration) {
        if startedAt == nil { startedAt = now }
        switch event.content {
        case .stage(let next):
            enter(next)
        case .progress(let current, let fraction, let bytesDone, _):
            if current != stage { enter(current) }
            if fraction.isFinite { overall = min(max(overall, fraction), 1) }
            record(bytesDone, at: now)
        case .found(let found):
            family = found
        case .probed(let unit):
            identity = unit
        case .step(let step):
            steps.append(step)
            writingStage = nil
        case .recorded(let recorded):
            run = recorded
        case .units, .started, .notice, .recovery, .planned, .ended, .place:
            break
        }
    }

    /// Bytes a second of the current stage; `nil` before two samples that are far enough apart.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.at - first.at >= .milliseconds(100),
            last.bytes > first.bytes
        else { return nil }
        return Double(last.bytes - first.bytes) / (last.at - first.at).inSeconds
    }

    func elapsed(at now: Duration) -> Duration { startedAt.map { now - $0 } ?? .zero }

    /// Seconds to the end, from the weighted progress so far; `nil` while a guess would be wild.
    func secondsLeft(at now: Duration) -> Double? {
        let elapsed = elapsed(at: now).inSeconds
        guard overall >= 0.02, overall < 1, elapsed >= 1 else { return nil }
        return elapsed * (1 - overall) / overall
    }

    private mutating func enter(_ next: Stage) {
        stage = next
        if next.remains != nil { writingStage = next }
        samples.removeAll()
    }

    private mutating func record(_ bytes: Int, at now: Duration) {
        // A transfer that was set back starts its average anew.
        if let last = samples.last, bytes < last.bytes { samples.removeAll() }
        samples.append((now, bytes))
        while samples.count > 2, now - samples[1].at >= Self.window { samples.removeFirst() }
    }
}
