/// Weighs stages by the seconds they are expected to take, so that one bar runs through the whole job.
struct RunProgress: Sendable {
    /// Expected seconds: at 15 ms connection interval, measured on the virtual unit at the real link's pace.
    private static let seconds: [Stage: Double] = [
        .connect: 1, .probe: 3, .preflight: 0.1, .bootloader: 6, .firmware: 14, .restart: 5, .erase: 5, .fpga: 18,
        .commit: 3, .scripts: 3, .proof: 4,
    ]
    private static let stages: [Part: [Stage]] = [
        .firmware: [.bootloader, .firmware, .restart], .fpga: [.erase, .fpga, .commit], .scripts: [.scripts],
    ]

    private var weights: [Stage: Double] = [:]
    private var done: Double = 0
    private var current = Stage.connect
    private var highest: Double = 0

    init(parts: Set<Part>) {
        for stage in [Stage.connect, .probe, .preflight, .proof] { weights[stage] = Self.seconds[stage] }
        for part in parts { expect(part) }
    }

    private mutating func expect(_ part: Part) {
        for stage in Self.stages[part] ?? [] { weights[stage] = Self.seconds[stage] }
    }

    /// The part needs nothing: its share of the bar goes to the others.
    mutating func drop(_ part: Part) {
        for stage in Self.stages[part] ?? [] where stage != current { weights[stage] = nil }
    }

    mutating func begin(_ stage: Stage) {
        guard stage != current else { return }
        done += weights.removeValue(forKey: current) ?? 0
        current = stage
    }

    /// 0…1 over the whole job, never going back.
    mutating func overall(stageFraction: Double) -> Double {
        let total = done + weights.values.reduce(0, +)
        guard total > 0 else { return highest }
        let fraction = (done + (weights[current] ?? 0) * min(1, max(0, stageFraction))) / total
        highest = max(highest, min(1, fraction))
        return highest
    }
}
