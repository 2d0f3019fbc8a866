import Bluetooth
import Foundation
import Ledger
import Provisioning
import Support

/// What updates took in a station's last runs, beside what their plans estimated.
enum StationPace {
    static let runLimit = 30
    /// Fewer runs say nothing of the next one.
    static let leastCount = 3
    /// Of the newest runs.
    private static let countLimit = 9
    /// A median beyond them is of something else than the link.
    private static let bounds = 0.5...2.0

    private struct Planned: Decodable {
        struct Part: Decodable {
            var component: String
            var action: ComponentPlan.Action
            var estimates: [Estimate]
        }

        struct Estimate: Decodable {
            var stage: String
            var seconds: Double
        }

        var components: [Part]
    }

    /// - Parameter runs: in the order of writing.
    /// - Returns: for each component, the median of actual to estimated seconds.
    static func corrections(for components: [Component], from runs: [RunRecord]) -> [Component: Double] {
        var ratios: [String: [Double]] = [:]
        for run in runs.reversed() where run.outcome == .pass && run.retries == 0 {
            guard let plan = run.plan.flatMap({ try? JSONDecoder().decode(Planned.self, from: Data($0.utf8)) }) else { continue }
            for part in plan.components where part.action != .current && ratios[part.component, default: []].count < countLimit {
                if let ratio = ratio(of: part, in: run) { ratios[part.component, default: []].append(ratio) }
            }
        }
        return components.reduce(into: [:]) { corrections, component in
            guard let found = ratios[component.name], found.count >= leastCount, let median = Durations(found).median else { return }
            corrections[component] = min(max(median, bounds.lowerBound), bounds.upperBound)
        }
    }

    /// `nil` for an update that did not go through the stages of its plan: what was asked after new firmware may have been current.
    private static func ratio(of part: Planned.Part, in run: RunRecord) -> Double? {
        let estimated = part.estimates.reduce(0) { $0 + $1.seconds }
        let stages = Set(part.estimates.map(\.stage))
        let steps = run.steps.filter { stages.contains($0.name) }
        guard estimated.isFinite, estimated > 0, Set(steps.map(\.name)) == stages else { return nil }
        return steps.reduce(0) { $0 + Double($1.milliseconds) } / 1000 / estimated
    }
}

extension LiveServices {
    /// What the station's last runs of such units say of the next one. A ledger that cannot be read says nothing.
    func corrections(for unit: StationUnit, station: String, stateFolder: String) async -> [Component: Double] {
        var filter = RunFilter()
        (filter.station, filter.outcome, filter.limit) = (station, .pass, StationPace.runLimit)
        let ledger = ledger("\(stateFolder)/ledger")
        let runs = await unit.central.clock.paused { [filter] in try? await ledger.runs(filter) } ?? []
        return StationPace.corrections(
            for: unit.family.components,
            from: runs.filter {
                $0.family == unit.family.id.rawValue && ($0.adapter == RunRecorder.virtualAdapter) == unit.isVirtual
            })
    }
}
