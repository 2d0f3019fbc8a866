import Support
import Testing

@testable import Provisioning

/// What stands between a bad bundle and a shift.
@Suite struct RolloutGuardTests {
    private static func failure(_ code: String, _ fault: Diagnosis.Fault? = .unit) -> UnitResult {
        .failed(Diagnosis(code, .unitFailed, fault, "", cause: "", remedy: ""))
    }

    private func stop(
        after judgements: [UnitResult], canary: Int = 0, _ change: (inout RolloutGuard.Limits) -> Void = { _ in }
    ) -> RolloutStop? {
        var limits = RolloutGuard.Limits()
        change(&limits)
        var rollout = RolloutGuard(limits: limits, canary: canary)
        for judgement in judgements { rollout.note(judgement) }
        return rollout.stop
    }

    @Test func twoInARowWithOneCodeStop() {
        let (a, b) = (Self.failure("A"), Self.failure("B"))
        #expect(stop(after: [a]) == nil)
        #expect(stop(after: [a, a]) == .repeated(code: "A", count: 2))
        #expect(stop(after: [a, b]) == nil)
        #expect(stop(after: [a, .passed, a]) == nil)
        #expect(stop(after: [.passed, a, .wasCurrent, a]) == .repeated(code: "A", count: 2))
    }

    @Test func theFirstReasonStays() {
        #expect(stop(after: Array(repeating: Self.failure("A"), count: 9)) == .repeated(code: "A", count: 2))
    }

    @Test func aNumberInARowIsAnOption() {
        let a = Self.failure("A")
        #expect(stop(after: [a]) { $0.inARow = 1 } == .repeated(code: "A", count: 1))
        #expect(stop(after: [a, a]) { $0.inARow = 3 } == nil)
        #expect(stop(after: [a, a, a]) { $0.inARow = 3 } == .repeated(code: "A", count: 3))
        #expect(stop(after: Array(repeating: a, count: 50)) { ($0.inARow, $0.share) = (0, nil) } == nil)
    }

    /// Failures of the radio, of the station and of what was given are none of the units'.
    @Test(arguments: [Diagnosis.Fault.radio, .station, nil])
    func onlyTheUnitsOwnFailuresCount(fault: Diagnosis.Fault?) {
        #expect(stop(after: Array(repeating: Self.failure("A", fault), count: 40)) == nil)
        let a = Self.failure("A")
        #expect(stop(after: [a, Self.failure("R", fault), a]) == .repeated(code: "A", count: 2))
    }

    @Test func aShareStopsFromFiveOn() {
        let (a, b) = (Self.failure("A"), Self.failure("B"))
        #expect(stop(after: [a, b, a]) == nil)
        #expect(stop(after: [a, b, a, .passed]) == nil)
        #expect(stop(after: [a, b, a, .passed, .passed]) == .share(failed: 3, of: 5))
        #expect(stop(after: [a, b, .passed, .passed, .passed]) == nil)
    }

    /// Five in a hundred are 5 %; what was current already makes neither number larger.
    @Test func theShareIsTakenOfWhatFinished() {
        var run: [UnitResult] = []
        for _ in 0..<5 { run += Array(repeating: .passed, count: 19) + [Self.failure("A")] }
        // Early failures are judged with few finished, late ones with many.
        #expect(stop(after: run) == nil)
        run.insert(contentsOf: Array(repeating: .wasCurrent, count: 900), at: 0)
        #expect(stop(after: run + [.passed, Self.failure("A"), .passed]) == .share(failed: 6, of: 102))
    }

    /// Too few have finished to speak of a share; at the least number it is spoken of.
    @Test func theLeastNumberIsIncluded() {
        let failures = [Self.failure("A"), Self.failure("B"), Self.failure("C"), Self.failure("D")]
        #expect(stop(after: failures) == nil)
        #expect(stop(after: failures + [.passed]) == .share(failed: 4, of: 5))
        #expect(stop(after: failures) { $0.least = 4 } == .share(failed: 4, of: 4))
    }

    @Test func othersWaitForTheCanary() {
        var rollout = RolloutGuard(canary: 2)
        #expect(!rollout.mayStartSeveral)
        rollout.note(.wasCurrent)
        rollout.note(Self.failure("R", .radio))
        rollout.note(.passed)
        #expect(!rollout.mayStartSeveral)
        rollout.note(.passed)
        #expect(rollout.mayStartSeveral && rollout.stop == nil)
    }

    @Test func twoCanariesThatFailStopWhateverTheirCodes() {
        #expect(stop(after: [Self.failure("A"), Self.failure("B")], canary: 1) == .canary(failed: 2, code: "B"))
        #expect(stop(after: [Self.failure("A"), .passed, Self.failure("B")], canary: 1) == nil)
    }
}
