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
        #expect((record.unitAddress, record.family, record.rssi, record.adapter, record.elapsedMilliseconds) == ("C0:00:00:00:00:01", "monocle", -61, "virtual", 3000))
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
                identity: RecordBench.identity("v1"), family: .monocle, findings: [.firmware: .init(expected: "v2", actual: "v1")], error: nil)
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
        (StopReason.Reason.interrupted, RunOutcome.aborted, Blame.operator, "NOA-0003"), (.timeLimit(seconds: 3), .timeout, .input, "NOA-0002"),
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
        #expect(bench.notices.poll()?.hasSuffix("[LED-0020]") == true && bench.notices.poll()?.hasPrefix("next: ") == true && bench.notices.poll() == nil)
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

    // MARK: - Serial numbers

    @Test func aSerialNumberStaysAtItsAddress() async throws {
        var bench = RecordBench()
        bench.inputs.serial = "SN1"
        try await bench.run { _ in RecordBench.report() }
        try await bench.run { _ in RecordBench.report() }
        let bound = try #require(bench.ledger.records.last)
        let expected = LedgerError.serialBound(serial: "SN1", address: "C0:00:00:00:00:02", bound: "C0:00:00:00:00:01", run: "\(bound.id)")
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
}
