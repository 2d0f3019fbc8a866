/// Weighs stages by the seconds they are expected to take, so that one bar runs through the whole job.
struct JobProgress: Sendable {
    private static let always: [StageEstimate] = [
        StageEstimate(.connect, seconds: 1), StageEstimate(.probe, seconds: 3), StageEstimate(.preflight, seconds: 0.1),
        StageEstimate(.proof, seconds: 4),
    ]

    private var weights: [Stage: Double] = [:]
    private var done: Double = 0
    private var current = Stage.connect
    private var highest: Double = 0

    /// - Parameter estimates: of everything that may have to be done.
    init(expecting estimates: [StageEstimate]) {
        for estimate in Self.always + estimates { weights[estimate.stage] = estimate.seconds }
    }

    /// A component needs what its plan says: what it does not need goes to the others' share of the bar.
    mutating func expect(_ component: ComponentPlan) {
        for stage in component.component.stages where stage != current { weights[stage] = nil }
        for estimate in component.expected { weights[estimate.stage] = estimate.seconds }
    }

    mutating func begin(_ stage: Stage) {
        guard stage != current else { return }
        done += weights.removeValue(forKey: current) ?? 0
        current = stage
    }

    /// 0…1 over the whole job, never going back.
    mutating func overall(stageFraction: Double) -> Double {
        let total = done + weights.values.sorted().reduce(0, +)
        let fraction = (done + (weights[current] ?? 0) * min(1, max(0, stageFraction))) / total
        highest = max(highest, min(1, fraction))
        return highest
    }
}
