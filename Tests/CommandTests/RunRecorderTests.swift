import Ledger
import MonocleFamily
import Provisioning
import Support
import Testing
import VirtualDevices

@testable import noafw

/// A run's record, from before its unit is touched to its end.
@Suite struct RunRecorderTests {
    @Test func aPassedRunIsOpenedBeforeItsUnitIsTouchedAndClosedAfter() async throws {
        var bench = RecordBench()
        (bench.inputs.operatorName, bench.inputs.workOrder) = ("anna", "WO 7")
        try await bench.run { _ in
            #expect(bench.ledger.records.map(\.isOpen) == [true])
            bench.time.advance(.seconds(3))
            return RecordBench.report()
        }
        let record = try #require(bench.ledger.records.first)
        #expect((record.outcome, record.blame, record.code, record.seq) == (.pass, nil, nil, 1))
        #expect((record.station, record.operatorName, record.workOrder, record.verb) == ("line-1", "anna", "WO 7", "flash"))
        #expect(
            (record.unitAddress, record.family, record.rssi, record.adapter, record.elapsedMilliseconds) == (
                "C0:00:00:00:00:01", "monocle", -61, "virtual", 3000
            ))
    }

    @Test func theReportsErrorIsTheVerdict() async throws {
        let bench = RecordBench()
        try await bench.run { _ in RecordBench.report(RecordBench.unitFault) }
        try await bench.run { _ in RecordBench.report(RecordBench.radioFault) }
        #expect(bench.ledger.records.map(\.outcome) == [.fail, .error])
        #expect(bench.ledger.records.map(\.blame) == [.unit, .radio])
        #expect(bench.ledger.records.map(\.code) == ["FPGA-0003", "BLE-0003"])
    }

    @Test func driftFailsTheUnit() async throws {
        let bench = RecordBench()
        try await bench.run { _ in
            VerifyReport(
                identity: RecordBench.identity("v1"), family: .monocle, findings: [.firmware: .init(expected: "v2", actual: "v1")],
                error: nil)
        }
        #expect(bench.ledger.records.map(\.code) == ["NOA-0013"] && bench.ledger.records.map(\.outcome) == [.fail])
    }

    // MARK: - Runs that do not come to their end

    @Test func aThrownErrorIsRecordedAndThrownOn() async throws {
        let bench = RecordBench()
        await #expect(throws: CommandError.noStateFolder) { try await bench.run { _ -> UnitReport in throw CommandError.noStateFolder } }
        let record = try #require(bench.ledger.records.first)
        #expect((record.outcome, record.blame, record.code) == (.error, .station, "NOA-0001"))
    }

    @Test(arguments: [
        (StopReason.Reason.interrupted, RunOutcome.aborted, Blame.operator, "NOA-0003"),
        (.timeLimit(seconds: 3), .timeout, .input, "NOA-0002")
    ])
    func aCancelledRunSaysWhy(reason: StopReason.Reason, outcome: RunOutcome, blame: Blame, code: String) async throws {
        let bench = RecordBench()
        let task = Task {
            try await bench.run { _ -> UnitReport in
                bench.inputs.stop.set(reason)
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
                return RecordBench.report()
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let record = try #require(bench.ledger.records.first)
        #expect((record.outcome, record.blame, record.code) == (outcome, blame, code))
    }

    /// A document names the run of a unit, and none where the unit is another station's.
    @Test(arguments: [true, false]) func whoIsToldOfARunLearnsItsRecord(isTaken: Bool) async throws {
        struct Claims: UnitClaims {
            let isTaken: Bool
            func claim(_ request: ClaimRequest) async throws(ClaimError) -> any UnitClaim {
                if isTaken { throw .taken(unit: request.unit, station: "line-2", until: UTCTime(microseconds: 0)) }
                return LocalClaim()
            }
        }
        let bench = RecordBench()
        let told = Inbox<RunRecord?>(capacity: 8)
        let recorder = RunRecorder(bench.inputs, ledger: bench.ledger, claims: Claims(isTaken: isTaken), events: { _ in })
        let start = RunRecorder.Start(verb: "flash", unit: bench.unit(), assets: AssetSet(), serial: "SN1")
        _ = try? await recorder.record(start, events: { _ in }, recorded: { told.deliver($0) }) { _, _ in RecordBench.report() }
        let (opened, closed) = (try #require(told.poll()), try #require(told.poll()))
        #expect(opened?.serial == "SN1" && opened?.endedAt == nil && told.poll() == nil)
        #expect(isTaken ? closed == nil : closed?.id == opened?.id && closed?.endedAt != nil)
    }

    // MARK: - A ledger that cannot be written

    @Test func withoutARecordNoUnitIsTouched() async throws {
        let bench = RecordBench(FakeLedger(beginFails: true))
        await #expect(throws: FakeLedger.refusal) {
            try await bench.run { _ -> UnitReport in
                Issue.record("the unit was touched")
                return RecordBench.report()
            }
        }
    }

    @Test func aCloseThatIsKeptNowhereIsTheOperatorsLine() async throws {
        let bench = RecordBench(FakeLedger(closeFails: true))
        let report = try await bench.run { _ in RecordBench.report() }
        #expect(report.passed, "the verdict on the unit stays")
        let line = try RecordLine(line: Array(try #require(bench.lines.poll()).utf8))
        #expect(line.record.outcome == .pass && line.record.endedAt != nil)
        #expect(bench.notices.poll()?.contains("LED-0001") == true)
    }

    @Test func whatTheLedgerHasToSayIsSaidOnceACommand() async throws {
        let bench = RecordBench(FakeLedger(notices: [.closedAbandoned(["RUN"])]))
        let recorder = bench.recorder()
        for unit in [1, 2] { try await bench.run(recorder, unit: unit) { _ in RecordBench.report() } }
        let notice = bench.notices.poll()
        #expect(notice?.hasPrefix("LED-0020: ") == true && notice?.contains("; next: ") == true && bench.notices.poll() == nil)
    }

    // MARK: - The plan

    private static let plan = Plan(
        family: .monocle, unit: "C0:00:00:00:00:01",
        components: [ComponentPlan(component: .firmware, action: .update, from: "v1", to: "v2", byteCount: 4)])

    /// However slow the disk is.
    @Test func thePlanIsKeptBeforeTheUnitIsChanged() async throws {
        let gate = Inbox<Void>()
        let bench = RecordBench(FakeLedger(gate: gate))
        let saved = Inbox<Void>()
        try await bench.record { events, recording in
            events(bench.event(.planned(Self.plan)))
            let saving = Task {
                try await recording.save()
                saved.deliver(())
            }
            for _ in 0..<1000 { await Task.yield() }
            #expect(saved.poll() == nil && bench.ledger.records.first?.plan == nil)
            gate.deliver(())
            try await saving.value
            #expect(bench.ledger.records.first?.plan?.contains("v2") == true)
            return RecordBench.report()
        }
    }

    @Test func aPlanThatIsKeptNowhereLeavesTheUnitAsItIs() async throws {
        let bench = RecordBench(FakeLedger(putFails: true))
        await #expect(throws: FakeLedger.refusal) {
            try await bench.record { events, recording in
                events(bench.event(.planned(Self.plan)))
                try await recording.save()
                Issue.record("the unit was changed")
                return RecordBench.report()
            }
        }
        #expect(FakeLedger.refusal.obstacle == nil, "another link mends no disk")
        #expect(bench.ledger.records.map(\.code) == ["LED-0001"])
    }

    // MARK: - The last pass

    private func lastPass(_ bench: RecordBench, _ recorder: RunRecorder, unit: Int = 1) async throws -> PassedRun? {
        var pass: PassedRun?
        try await bench.record(recorder, unit: unit) { events, recording in
            pass = await recorder.lastPass(before: recording, bench.time.clock, events)
            return RecordBench.report(RecordBench.unitFault)
        }
        return pass
    }

    @Test func theLastPassIsTheOneBeforeThisRun() async throws {
        let bench = RecordBench()
        let recorder = bench.recorder()
        #expect(try await lastPass(bench, recorder) == nil)
        for _ in 1...2 { try await bench.run(recorder) { _ in RecordBench.report() } }
        #expect(try await lastPass(bench, recorder)?.id == bench.ledger.records[2].id)
        #expect(try await lastPass(bench, recorder, unit: 2) == nil)
        #expect(bench.notices.poll() == nil)
    }

    /// One warning, whatever the number of units; no verdict depends on it.
    @Test func aLedgerThatCannotBeReadFailsNoVerdict() async throws {
        let bench = RecordBench(FakeLedger(readFails: true))
        let recorder = bench.recorder()
        for unit in [1, 2] { #expect(try await lastPass(bench, recorder, unit: unit) == nil) }
        #expect(bench.notices.poll()?.hasPrefix("LED-0004: ") == true && bench.notices.poll() == nil)
    }

    /// It has been waited for once already.
    @Test func aLedgerThatIsNotWrittenIsNotAsked() async throws {
        let bench = RecordBench(FakeLedger(readFails: true, notices: [.spooling(path: "p", reason: "r")]))
        #expect(try await lastPass(bench, bench.recorder()) == nil)
        #expect(bench.notices.poll()?.hasPrefix("LED-0021: ") == true && bench.notices.poll() == nil)
    }

    // MARK: - The server

    /// A server that hangs: the next unit begins all the same.
    @Test func eachRunIsSentWhileTheNextOnesGoOn() async throws {
        let bench = RecordBench()
        let uploads = HangingUploads()
        let recorder = bench.recorder(uploads: uploads)
        for unit in [1, 2, 3] { try await bench.run(recorder, unit: unit) { _ in RecordBench.report() } }
        #expect(bench.ledger.records.map(\.outcome) == [.pass, .pass, .pass])
        #expect(try await uploads.begun.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous) == 1)
        let end = Task { await recorder.finish() }
        end.cancel()
        await end.value
        #expect(bench.notices.poll()?.contains("runs that wait for the ledger's server: 3") == true)
    }

    /// Nothing else is due but a limit an hour away, as for the last unit of a fleet.
    @Test func virtualTimeStandsStillWhileTheRecordIsWritten() async throws {
        let time = VirtualTime.simulated()
        var bench = RecordBench(FakeLedger(delay: .milliseconds(20)))
        bench.clock = time.clock
        let passed = try await time.run { [bench] in
            let limit = time.clock.task { try await time.clock.sleep(for: .seconds(3600)) }
            defer { limit.cancel() }
            let begun = time.clock.now
            try await bench.run { events in
                events(bench.event(.step(StepReport(component: .scripts, action: .updated, from: nil, to: "v2"))))
                return RecordBench.report()
            }
            return begun.duration(to: time.clock.now)
        }
        #expect(passed == .zero)
    }

    /// A server that is away: told once while it lasts, and at the end.
    @Test func whatWaitsIsToldAtTheEndAgain() async throws {
        let bench = RecordBench()
        let uploads = HangingUploads(answers: true)
        let recorder = bench.recorder(uploads: uploads)
        for unit in [1, 2, 3, 4] {
            try await bench.run(recorder, unit: unit) { _ in RecordBench.report() }
            #expect(try await uploads.begun.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous) == 1)
        }
        await recorder.finish()
        var told = 0
        while let notice = bench.notices.poll() { told += notice.hasPrefix("LED-0140: ") ? 1 : 0 }
        #expect(told == 2)
    }

    // MARK: - Serial numbers

    @Test func aSerialNumberStaysAtItsAddress() async throws {
        var bench = RecordBench()
        bench.inputs.serial = "SN1"
        try await bench.run { _ in RecordBench.report() }
        try await bench.run { _ in RecordBench.report() }
        let bound = try #require(bench.ledger.records.last)
        let expected = LedgerError.serialBound(
            serial: "SN1", address: "C0:00:00:00:00:02",
            known: SerialBinding(serial: "SN1", unitAddress: "C0:00:00:00:00:01", run: "\(bound.id)"))
        await #expect(throws: expected) { try await bench.run(unit: 2) { _ -> UnitReport in throw CommandError.noKey } }
        #expect(bench.ledger.records.count == 2)
        // One of a fleet brings its own.
        try await bench.run(unit: 2, serial: "SN2") { _ in RecordBench.report() }
        bench.inputs.rebindsSerial = true
        try await bench.run(unit: 2) { _ in RecordBench.report() }
        bench.inputs.rebindsSerial = false
        try await bench.run(unit: 2) { _ in RecordBench.report() }
        #expect(bench.ledger.records.compactMap(\.serial) == ["SN1", "SN1", "SN2", "SN1", "SN1"])
    }

    @Test func aUnitKeepsItsSerialNumber() async throws {
        var bench = RecordBench()
        bench.inputs.serial = "SN1"
        try await bench.run { _ in RecordBench.report() }
        let bound = try #require(bench.ledger.records.last)
        bench.inputs.serial = "SN9"
        let expected = LedgerError.serialBound(
            serial: "SN9", address: "C0:00:00:00:00:01",
            known: SerialBinding(serial: "SN1", unitAddress: "C0:00:00:00:00:01", run: "\(bound.id)"))
        await #expect(throws: expected) { try await bench.run { _ -> UnitReport in throw CommandError.noKey } }
        #expect(bench.ledger.records.count == 1)
        bench.inputs.rebindsSerial = true
        try await bench.run { _ in RecordBench.report() }
        // Its first number is free again, and its second one is not.
        bench.inputs.rebindsSerial = false
        await #expect(throws: LedgerError.self) { try await bench.run(unit: 2) { _ -> UnitReport in throw CommandError.noKey } }
        bench.inputs.serial = "SN1"
        try await bench.run(unit: 2) { _ in RecordBench.report() }
    }
}

/// A server that never answers, or is away.
private final class HangingUploads: RunUploads {
    let begun = Inbox<Int>()
    private let answers: Bool

    init(answers: Bool = false) { self.answers = answers }

    func sendOnce(within limit: Duration) async -> UploadReport {
        begun.deliver(1)
        if !answers { try? await SessionClock.continuous.sleep(for: .seconds(3600)) }
        return await send(within: limit)
    }

    func send(within limit: Duration) async -> UploadReport {
        var report = UploadReport()
        (report.left, report.failure) = (3, RecordBench.radioFault)
        return report
    }
}
