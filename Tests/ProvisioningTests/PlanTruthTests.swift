import FPGA
import Foundation
import Provisioning
import ScriptBundle
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

/// What a plan expects, beside what the run then takes.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct PlanTruthTests {
    private func expectTruth(_ assets: AssetSet, of components: Set<String>) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let (plan, report, stages) = try await bench.play { central, unit in
            let seen = Mutex((plan: Plan?.none, stages: [String]()))
            let (clock, start) = (central.clock, central.clock.now)
            let report = try await bench.job(assets, for: unit, over: central).run { event in
                let at = start.duration(to: clock.now) / .seconds(1)
                switch event.content {
                case .planned(let plan): seen.withLock { if $0.plan == nil { $0.plan = plan } }
                case .stage(let stage): seen.withLock { $0.stages.append("\(stage.name) at \(at)") }
                default: break
                }
            }
            seen.withLock { $0.stages.append("end at \(start.duration(to: clock.now) / .seconds(1))") }
            return seen.withLock { ($0.plan, report, $0.stages) }
        }
        #expect(report.passed, "\(String(describing: report.error))")
        for step in report.steps where components.contains(step.component.name) {
            let expected = try #require(plan?.components.first { $0.component == step.component }).seconds
            let isNear = abs(expected - step.seconds) <= 0.15 * step.seconds
            #expect(isNear, "\(step.component.name): \(expected) s told, \(step.seconds) s taken; \(stages)")
        }
    }

    @Test func firmwareAndImageOfFullSize() async throws {
        try await expectTruth(try Bench.assets(firmwareSize: 214_708), of: ["firmware", "fpga"])
    }
}
