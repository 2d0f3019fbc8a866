import Ledger
import MonocleFamily
import Provisioning
import Testing

@testable import noafw

/// What a station's last runs say of the next one's seconds.
struct StationPaceTests {
    private func run(
        firmware seconds: [Double], estimated: [Double] = [1, 8, 3], correction: Double? = nil, action: ComponentPlan.Action = .update,
        _ change: (inout RunRecord) -> Void = { _ in }
    ) -> RunRecord {
        let stages = Component.firmware.stages
        var part = ComponentPlan(component: .firmware, action: action, from: "v1", to: "v2", byteCount: 9)
        part.estimates = zip(stages, estimated).map { StageEstimate($0, seconds: $1) }
        part.correction = correction
        var record = RunRecord(station: "s", unitAddress: "u", family: "monocle", verb: "flash", toolVersion: "1", host: "h")
        record.plan = RecordedPlan(job: Plan(family: .monocle, unit: "u", components: [part]), rollout: nil).json
        record.steps = zip(stages, seconds).map {
            RunStep(name: $0.name, startMilliseconds: 0, milliseconds: Int64($1 * 1000))
        }
        record.outcome = .pass
        change(&record)
        return record
    }

    private func correction(_ runs: [RunRecord]) -> Double? {
        StationPace.corrections(for: [.firmware, .fpga], from: runs)[.firmware]
    }

    @Test func theMedianOfTheLastRuns() {
        let runs = [[1, 11, 3], [1, 14, 3], [1, 17, 6]].map { run(firmware: $0) }
        #expect(correction(runs) == 1.5)
        // Nine newer ones leave none of them.
        #expect(correction(runs + (0..<9).map { _ in run(firmware: [1, 8, 3]) }) == 1)
        #expect(StationPace.corrections(for: [.fpga], from: runs).isEmpty)
    }

    /// What a plan was corrected with is no part of its estimate.
    @Test func aCorrectedPlanCountsAsTheOthers() {
        #expect(correction((0..<3).map { _ in run(firmware: [1, 14, 3], correction: 1.5) }) == 1.5)
    }

    @Test func twoRunsAreTooFew() { #expect(correction([run(firmware: [1, 14, 3]), run(firmware: [1, 14, 3])]) == nil) }

    @Test(arguments: [([0.1, 0.1, 0.1], 0.5), ([100, 100, 100], 2)] as [([Double], Double)])
    func aCorrectionIsBounded(seconds: [Double], expected: Double) {
        #expect(correction((0..<3).map { _ in run(firmware: seconds) }) == expected)
    }

    /// A damaged record, or one of a clock that was far away.
    @Test func stepsWithoutEndAreBounded() {
        let runs = (0..<3).map { _ in run(firmware: [1, 8, 3]) { for index in $0.steps.indices { $0.steps[index].milliseconds = .max } } }
        #expect(correction(runs) == 2)
    }

    @Test func otherRunsSayNothing() {
        let odd = [
            run(firmware: [1, 20, 3]) { $0.outcome = .fail }, run(firmware: [1, 20, 3]) { $0.retries = 1 },
            run(firmware: [1, 20, 3], action: .current), run(firmware: [1, 20, 3]) { $0.plan = nil },
            run(firmware: [1, 20, 3]) { $0.plan = "{\"components\":[{}]}" }, run(firmware: [1, 20]),
            run(firmware: [1, 20, 3], estimated: []),
            run(firmware: [1, 20, 3], estimated: [0, 0, 0]),
        ]
        #expect(correction(odd + odd + odd) == nil)
        #expect(correction(odd + (0..<3).map { _ in run(firmware: [1, 14, 3]) } + odd) == 1.5)
    }
}
