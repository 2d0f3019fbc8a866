import Foundation
import Ledger
import MonocleFamily
import Provisioning
import Support
import Testing

@testable import noafw

/// What a record takes from the events of its run.
struct RunCollectorTests {
    private var collector = RunCollector(begun: Self.at(10), digests: [.firmware: "ab", .scripts: "cd"])

    private static func at(_ seconds: Double) -> SessionClock.Instant { .init(offset: .seconds(seconds)) }

    @discardableResult
    private mutating func take(_ content: RunEvent.Content, at seconds: Double) -> Bool {
        collector.take(RunEvent(unit: nil, time: Self.at(seconds), content: content))
    }

    private var record: RunRecord {
        let start = RunRecord(station: "s", unitAddress: "u", family: "monocle", verb: "flash", toolVersion: "1", host: "h")
        var record = start.begun(as: RunIDGenerator().next(), at: .now)
        collector.fill(&record)
        return record
    }

    private static func plan(_ action: ComponentPlan.Action, _ component: Component) -> ComponentPlan {
        ComponentPlan(component: component, action: action, from: "v1", to: "v2", byteCount: 5)
    }

    @Test mutating func stagesAreStepsWithTheirTimesAndBytes() {
        take(.stage(.connect), at: 10)
        take(.stage(.firmware), at: 11)
        take(.progress(stage: .firmware, overall: 0.5, bytesDone: 10_000, bytesTotal: 40_000), at: 12)
        take(.progress(stage: .firmware, overall: 0.9, bytesDone: 40_000, bytesTotal: 40_000), at: 14)
        take(.stage(.erase), at: 15)
        take(.progress(stage: .erase, overall: 0.9, bytesDone: 7, bytesTotal: 9), at: 16)
        collector.conclude(.pass, nil, at: Self.at(17))
        #expect(record.steps == [
            RunStep(name: "connect", startMilliseconds: 0, milliseconds: 1000),
            RunStep(name: "firmware", startMilliseconds: 1000, milliseconds: 4000, bytes: 40_000),
            RunStep(name: "erase", startMilliseconds: 5000, milliseconds: 2000),
        ])
        #expect(record.steps[1].kilobytesPerSecond == 10)
    }

    /// A transfer that goes back, and one of another stage that is told late.
    @Test mutating func theBytesOfAStepAreTheMostOfItsOwn() {
        take(.stage(.firmware), at: 10)
        for done in [10_000, 40_000, 8000] {
            take(.progress(stage: .firmware, overall: 0.5, bytesDone: done, bytesTotal: 50_000), at: 11)
        }
        take(.progress(stage: .fpga, overall: 0.5, bytesDone: 45_000, bytesTotal: 50_000), at: 12)
        collector.conclude(.pass, nil, at: Self.at(13))
        #expect(record.steps.map(\.bytes) == [40_000])
    }

    @Test mutating func whatAUnitHadIsWhatItSaidFirst() {
        take(.probed(RecordBench.identity("v1")), at: 10)
        take(.step(StepReport(component: .firmware, action: .updated, from: "v1", to: "v2")), at: 11)
        take(.probed(RecordBench.identity("v2")), at: 12)
        #expect(record.versionsBefore == ["firmware": "v1"] && record.versionsAfter == ["firmware": "v2"])
    }

    @Test mutating func aStageThatIsBegunAgainSaysWhyAndHowOften() {
        take(.stage(.firmware), at: 10)
        #expect(take(.recovery(Recovery(remedy: .reconnect, reason: RecordBench.radioFault)), at: 12))
        take(.stage(.connect), at: 12)
        take(.stage(.firmware), at: 13)
        collector.conclude(RunVerdict(RecordBench.unitFault), nil, at: Self.at(14))
        #expect(record.steps.map(\.name) == ["firmware", "connect", "firmware"])
        #expect(record.steps.map(\.outcome) == [.error, .pass, .fail] && record.steps.map(\.code) == ["BLE-0003", nil, "FPGA-0003"])
        #expect(record.steps.map(\.retries) == [0, 0, 1] && record.retries == 1)
    }

    @Test mutating func versionsAreThoseBeforeAndAfter() {
        #expect(take(.probed(RecordBench.identity("v1")), at: 10))
        #expect(record.versionsBefore == ["firmware": "v1"] && record.versionsAfter == record.versionsBefore && record.battery == 77)
        take(
            .planned(Plan(family: .monocle, unit: "u", components: [Self.plan(.update, .firmware), Self.plan(.current, .scripts)])), at: 11)
        #expect(record.versionsAfter.isEmpty && record.digests == ["firmware": "ab"], "what a kill leaves is not known")
        #expect(take(.step(StepReport(component: .firmware, action: .updated, from: "v1", to: "v2")), at: 12))
        #expect(record.versionsAfter == ["firmware": "v2"])
        collector.conclude(.pass, RecordBench.report(firmware: "v2"), at: Self.at(13))
        #expect(record.versionsBefore == ["firmware": "v1"] && record.versionsAfter == ["firmware": "v2"])
    }

    /// What a unit says that failed may be from before its last change.
    @Test mutating func aUnitThatFailedHasTheVersionsOfItsStepsAlone() {
        take(.probed(RecordBench.identity("v1")), at: 10)
        take(.planned(Plan(family: .monocle, unit: "u", components: [Self.plan(.update, .firmware)])), at: 11)
        collector.conclude(RunVerdict(RecordBench.unitFault), RecordBench.report(RecordBench.unitFault, firmware: "v1"), at: Self.at(12))
        #expect(record.versionsAfter.isEmpty)
    }

    @Test mutating func whatWaitedForTheFirmwareAndTurnedOutCurrentWasNotSent() {
        take(
            .planned(Plan(family: .monocle, unit: "u", components: [Self.plan(.update, .firmware), Self.plan(.afterFirmware, .scripts)])),
            at: 11)
        #expect(record.digests == ["firmware": "ab", "scripts": "cd"])
        take(.step(StepReport(component: .scripts, action: .current, from: "v2", to: "v2")), at: 12)
        #expect(record.digests == ["firmware": "ab"])
    }

    /// Until its end a run may go on to send the rest.
    @Test mutating func whatARunDidNotComeToWasNotSent() {
        take(
            .planned(Plan(family: .monocle, unit: "u", components: [Self.plan(.update, .firmware), Self.plan(.update, .scripts)])), at: 11)
        take(.stage(.firmware), at: 12)
        #expect(record.digests == ["firmware": "ab", "scripts": "cd"])
        collector.conclude(RunVerdict(RecordBench.unitFault), nil, at: Self.at(13))
        #expect(record.digests == ["firmware": "ab"])
    }

    @Test mutating func thePlanIsKeptAsJSON() throws {
        let plan = Plan(family: .monocle, unit: "u", components: [Self.plan(.update, .firmware)])
        take(.planned(plan), at: 11)
        #expect(record.bounded.plan == """
            {"components":[{"action":"update","byteCount":5,"component":"firmware","estimates":[],"from":"v1","to":"v2"}],"family":"monocle",\
            "unit":"u"}
            """)
    }

    /// A job that repeats its stages for ever does not make the record grow for ever.
    @Test mutating func theLastStepsAreKept() {
        for second in 0..<1000 { take(.stage(second % 2 == 0 ? .connect : .probe), at: Double(10 + second)) }
        #expect(record.bounded.steps.count == 256 && record.bounded.steps.last?.startMilliseconds == 998_000)
    }
}
