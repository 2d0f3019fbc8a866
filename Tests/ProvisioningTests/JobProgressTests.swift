import Bluetooth
import Support
import Synchronization
import Testing
import VirtualDevices

@testable import Provisioning

/// How far a job has come: for its bar, and for what its retries count as progress.
struct JobProgressTests {
    /// Always: connect 1 s, probe 3, preflight 0.1, proof 4.
    @Test func aBarWeighsStagesBySeconds() {
        var progress = JobProgress(expecting: [StageEstimate(.erase, seconds: 5), StageEstimate(.fpga, seconds: 11.9)])
        #expect(progress.overall(stageFraction: 0) == 0)
        #expect(abs(progress.overall(stageFraction: 0.5) - 0.5 / 25) < 1e-9)
        progress.begin(.probe)
        progress.begin(.erase)
        #expect(abs(progress.overall(stageFraction: 0) - 4 / 25) < 1e-9)
        #expect(abs(progress.overall(stageFraction: 2) - 9 / 25) < 1e-9, "more than the whole stage is the whole stage")
        progress.begin(.erase)
        #expect(abs(progress.overall(stageFraction: 0) - 9 / 25) < 1e-9, "it never goes back")
        for stage in [Stage.fpga, .preflight, .proof] { progress.begin(stage) }
        #expect(progress.overall(stageFraction: 1) == 1)
    }

    @Test func aPlanTakesTheSecondsOfAComponentThatIsCurrent() {
        var progress = JobProgress(expecting: [StageEstimate(.fpga, seconds: 91.9)])
        progress.expect(ComponentPlan(component: .fpga, action: .current, from: "1", to: "1", byteCount: 0))
        progress.begin(.probe)
        #expect(abs(progress.overall(stageFraction: 0) - 1 / 8.1) < 1e-9)
    }

    /// The job's bar has it from the plan; and none of no bytes is no progress.
    @Test func aJobsBarFollowsItsPlan() {
        let bar = Mutex<[Double]>([])
        let job = JobState(
            unit: UnitIdentity(address: .number(1), name: "unit"), family: "pager", components: [.fpga], options: JobOptions(),
            expecting: [StageEstimate(.fpga, seconds: 91.9)], clock: VirtualTime.simulated().clock
        ) { event in
            if case .progress(_, let overall, _, _) = event.content { bar.withLock { $0.append(overall * 8.1) } }
        }
        let current = ComponentPlan(component: .fpga, action: .current, from: "1", to: "1", byteCount: 0)
        job.planned(Plan(family: "pager", unit: "unit", components: [current]))
        job.begin(.probe)
        job.progress(0, of: 0)
        job.progress(2, of: 3)
        #expect(bar.withLock { $0.map { $0.rounded() } } == [1, 3])
    }

    /// What was reached once is no progress the second time, unless the unit has lost it.
    @Test func onlyNewGroundIsProgress() {
        var reach = Reach([.firmware, .fpga])
        let notes: [(Stage, Double, Int)] = [
            (.connect, 0, 0), (.connect, 1.0 / 63, 1), (.firmware, 0.5, 2), (.firmware, 0.5, 2), (.bootloader, 1, 2), (.firmware, 2, 3),
            (.firmware, 1, 3), (.proof, 0, 4),
        ]
        for (stage, fraction, advances) in notes {
            reach.note(stage, fraction: fraction)
            #expect(reach.advances == advances, "\(stage) \(fraction)")
        }
        reach.fallBack(to: .fpga)
        reach.note(.erase, fraction: 1)
        #expect(reach.advances == 4)
        reach.note(.fpga, fraction: 0.1)
        #expect(reach.advances == 5)
        reach.fallBack(to: .proof)
        reach.note(.fpga, fraction: 0.1)
        #expect(reach.advances == 5, "it never falls forward")
        reach.fallBack(to: .firmware)
        reach.note(.firmware, fraction: 2)
        reach.note(.restart, fraction: 0)
        #expect(reach.advances == 7, "more than the whole stage is the whole stage")
    }

    /// Or a job that only lacks its last stages would be given up in the middle of them.
    @Test func aStageThatBeginsIsProgressOnce() {
        let job = JobState(
            unit: UnitIdentity(address: .number(1), name: "unit"), family: "pager", components: [.firmware], options: JobOptions(),
            expecting: [], clock: VirtualTime.simulated().clock, report: { _ in })
        let stages: [(Stage, Int)] = [(.connect, 0), (.probe, 1), (.restart, 2), (.connect, 2), (.probe, 2), (.proof, 3)]
        for (stage, advances) in stages {
            job.begin(stage)
            #expect(job.advances == advances, "\(stage)")
        }
    }
}
