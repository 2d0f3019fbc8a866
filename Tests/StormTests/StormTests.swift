import Foundation
import Support
import Synchronization
import TestSupport
import Testing

/// A world from one seed: see docs/testing.md.
@Suite(
    .serialized,
    .enabled(if: TestTools.mayRunMicroPython && TestTools.mayRunFrameLua && PostgresCluster.mayRun, "run Tools/setup tests"))
struct StormTests {
    private static let wanted = ProcessInfo.processInfo.environment["NOAFW_STORM"]
    private let station: StormStation
    private let bases: StormBases

    init() throws {
        station = try StormStation.shared.get()
        bases = StormBases(station)
    }

    /// The same seed gives the same events, byte for byte, however busy the machine is.
    @Test func theSameSeedIsTheSameWorld() async throws {
        let seeds = TestRange.seeds(60, quick: [13, 14, 22, 31, 51])
        var digests: [UInt64: String] = [:]
        for seed in seeds { digests[seed] = try await StormPlan(seed: seed).play(station, bases).digest }
        let busy = BusyThreads(count: 2)
        defer { busy.stop() }
        for seed in seeds {
            let again = try await StormPlan(seed: seed).play(station, bases)
            #expect(again.digest == digests[seed], "seed \(seed): \(again.plan)")
        }
        #expect(Set(digests.values).count == digests.count)
    }

    /// From the first look at the files to the last word.
    @Test func ctrlCAtAnyStepLeavesAllWhole() async throws {
        let unit = StormPlan.Unit(family: "monocle", name: "storm0", prior: .owned, interval: 15_000, mtu: 517, setUp: 400)
        var plan = StormPlan(seed: 1, verb: .scripts, units: [unit], faults: [])
        var codes: Set<Int32> = []
        for step in TestRange.of(Array(1...60), quick: [1, 2, 10, 20, 30, 60]) {
            plan.faults = [StormFault(kind: .interrupt, unit: 0, at: step)]
            let result = try await plan.play(station, bases)
            #expect(result.findings.isEmpty, "step \(step): \(result.findings)")
            codes.insert(result.codes[0])
        }
        #expect(codes == [0, 130])
    }

    /// Worlds in which something was wrong once.
    @Test func noOldFindingComesBack() async throws {
        let corpus = try String(contentsOf: StormStation.files.appendingPathComponent("corpus.jsonl"), encoding: .utf8)
        for line in corpus.split(separator: "\n") {
            let plan = try JSONDecoder().decode(StormPlan.self, from: Data(line.utf8))
            let result = try await plan.play(station, bases)
            #expect(result.findings.isEmpty, "\(line): \(result.findings)")
        }
    }

    /// `make storm`: the seeds of `NOAFW_STORM`, such as `1-500`, or of them those of `NOAFW_STORM_ONLY`, such as `3,17`, with the results
    /// of all in a file. With `NOAFW_STORM_PLANS` only what would happen in them. With `NOAFW_STORM_SWEEP`, such as `17:link`, the numbers
    /// are places of this fault in that seed's world instead, until the world is over.
    @Test(.enabled(if: wanted != nil, "make storm plays seeds")) func storm() async throws {
        let environment = ProcessInfo.processInfo.environment
        let ends = (Self.wanted ?? "").split(separator: "-").compactMap { UInt64($0) }
        let place = URL(fileURLWithPath: try #require(environment["NOAFW_STORM_RESULTS"]))
        try Data().write(to: place)
        let file = try FileHandle(forWritingTo: place)
        let step = try #require(UInt64(environment["NOAFW_STORM_STEP"] ?? "1"))
        let only = (environment["NOAFW_STORM_ONLY"] ?? "").split(separator: ",").compactMap { UInt64($0) }
        let (last, sweep) = (try #require(ends.last), environment["NOAFW_STORM_SWEEP"])
        var (missed, calm) = (0, StormResult?.none)
        for seed in stride(from: try #require(ends.first), through: last, by: Int(step))
        where only.isEmpty || only.contains(seed) {
            var plan = try sweep.map { try Self.swept($0, at: Int(seed)) } ?? StormPlan(seed: seed)
            if let kept = environment["NOAFW_STORM_FAULTS"] {
                let numbers = Set(kept.split(separator: ",").compactMap { Int($0) })
                plan.faults = plan.faults.indices.filter(numbers.contains).map { plan.faults[$0] }
            }
            if environment["NOAFW_STORM_PLANS"] != nil {
                try file.write(contentsOf: try JSONEncoder().encode(plan) + Data("\n".utf8))
                continue
            }
            try file.write(contentsOf: Data("\(seed)\n".utf8))
            if sweep != nil, calm == nil { calm = try await plan.without(plan.faults.startIndex).play(station, bases) }
            StormBases.note("world \(seed)")
            var result = try await plan.play(station, bases, beside: calm) { log in
                guard let name = environment["NOAFW_STORM_LOG"] else { return }
                try? Data(log.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: name))
            }
            let isWanted = environment["NOAFW_STORM_FAULTS"] == nil && environment["NOAFW_STORM_SHRINK"] != "no"
            if !result.findings.isEmpty, isWanted { result = try await shrunk(result) }
            try file.write(contentsOf: try JSONEncoder().encode(result) + Data("\n".utf8))
            missed = result.reached.isEmpty ? missed + 1 : 0
            guard sweep == nil || missed < 20 else { return try file.write(contentsOf: Data("\(last + 1)\n".utf8)) }
        }
    }

    /// The world of a seed with one fault.
    private static func swept(_ sweep: String, at place: Int) throws -> StormPlan {
        let parts = sweep.split(separator: ":")
        var plan = StormPlan(seed: try #require(UInt64(parts[0])))
        let kind = try #require(StormFault.Kind(rawValue: String(parts[1])))
        let count = plan.units.count
        plan.faults = [StormFault(kind: kind, unit: (place - 1) % count, at: (place - 1) / count + 1)]
        return plan
    }

    /// The same finding with fewer faults.
    private func shrunk(_ result: StormResult) async throws -> StormResult {
        var (least, kept, index) = (result, Array(result.plan.faults.indices), 0)
        while index < kept.count {
            let smaller = try await least.plan.without(index).play(station, bases)
            if smaller.findings.isEmpty {
                index += 1
            } else {
                least = smaller
                kept.remove(at: index)
            }
        }
        least.kept = kept
        return least
    }
}

extension StormPlan {
    fileprivate func without(_ fault: Int) -> StormPlan {
        var plan = self
        plan.faults.remove(at: fault)
        return plan
    }
}

/// Threads that compute.
private final class BusyThreads: Sendable {
    private let isOver = Atomic(false)

    init(count: Int) {
        for _ in 0..<count {
            Thread.detachNewThread { [self] in while !isOver.load(ordering: .relaxed) {} }
        }
    }

    func stop() { isOver.store(true, ordering: .relaxed) }
}
