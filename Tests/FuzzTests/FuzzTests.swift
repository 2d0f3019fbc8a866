import FuzzTargets
import TestSupport
import Testing

/// A short seeded walk around good inputs, for every test run; `make fuzz` goes on from here with libFuzzer.
@Suite struct FuzzTests {
    @Test(arguments: FuzzTarget.all.map(\.name)) func seedsAreTakenAndTheirChangesNeverDoHarm(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let seeds = try target.seeds() + target.corpus()
        var numbers = SeededNumbers(seed: 2026)
        for seed in seeds { #expect(target.complaint(about: seed) == nil) }
        #expect(!seeds.isEmpty)
        for round in 0..<(TestRange.isFull ? 4000 : 1000) {
            let input = numbers.mutation(of: seeds[round % seeds.count])
            if let complaint = target.complaint(about: input) { Issue.record("round \(round): \(complaint)") }
        }
    }

    /// The watch itself: an error that explains nothing is a complaint.
    @Test func aCrashByErrorIsACrash() {
        struct Nameless: Error {}
        let target = FuzzTarget("nameless", seeds: { [] }, read: { _ in throw Nameless() })
        #expect(target.complaint(about: []) != nil)
    }
}
