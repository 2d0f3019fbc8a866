import Foundation
import Support

/// What came of a world.
struct StormResult: Codable, Sendable {
    enum End: String, Codable, Sendable {
        /// Nothing happened, the verdict came all the same, it came with one more run; or there is a finding.
        case calm, recovered, again, wrong
    }

    var plan: StormPlan
    var end: End
    var reached: [StormFault.Kind]
    var findings: [String]
    /// Of all events, in both runs.
    var digest: String
    /// To the units.
    var bytes: Int
    var codes: [Int32]
    /// Of real time.
    var seconds = 0.0
    /// Which of the seed's faults a shorter world has.
    var kept: [Int]?
}

extension StormPlan {
    /// A verb that only looks, or talks, brings no unit to what it should be.
    fileprivate var remedy: Verb { verb == .verify || verb == .chat ? .flash : verb }

    /// As the verb ends where nothing goes wrong.
    fileprivate var usualCode: Int32 { (verb == .verify || verb == .chat) && units[0].prior != .provisioned ? 1 : 0 }

    /// A new unit has to be erased.
    fileprivate var wouldEraseAtLowCharge: Bool {
        [.flash, .firmware, .fpga, .fleet, .line].contains(verb)
            && faults.contains { $0.kind == .battery && units[$0.unit].prior == .factory }
    }

    /// Plays the world twice: with its faults, and once more without.
    func play(_ station: StormStation, _ bases: StormBases, keeping: (([String]) -> Void)? = nil) async throws -> StormResult {
        var judge = StormJudge(plan: self)
        let world = try StormWorld(self, station)
        try await world.prepare(bases)
        let begun = ContinuousClock.now
        let first = try await world.run(verb, faults: true, seed: seed)
        let truth = try world.truth(verb == .verify ? .flash : verb, station)
        judge.judge(first, truth)
        for fault in faults where fault.kind == .battery { try world.charge(units[fault.unit], percent: 80) }
        let second = try await world.run(remedy, faults: false, seed: seed &+ 1)
        judge.judgeAgain(second, try world.truth(remedy, station), after: truth)
        keeping?(first.log.lines + ["again"] + second.log.lines + [first.errors, first.output, second.errors])
        var result = judge.result(first, second)
        result.seconds = (ContinuousClock.now - begun) / .seconds(1)
        return result
    }
}

/// Holds what a run said against what is true.
struct StormJudge {
    /// Bytes to a unit in a run that is cut short nowhere, and then some.
    private static let usualBytes = 120_000

    let plan: StormPlan
    private var findings: [String] = []
    /// The processes of other tests, such as a server that several share.
    private let strangers = Set(Self.children)

    init(plan: StormPlan) { self.plan = plan }

    private mutating func check(_ isRight: Bool, _ finding: String) { if !isRight { findings.append(finding) } }

    mutating func judge(_ run: StormRun, _ truth: StormTruth) {
        let differences = zip(plan.units, truth.units).map { "\($0.family):\($0.name) \($1.differences)" }.joined(separator: ", ")
        check(run.code != 0 || truth.isRight, "it ended with 0, and the truth is another: \(differences)")
        check(
            run.code != 1 || plan.units.count > 1 || !truth.isRight || plan.verb == .chat || Self.looksLikeAProgram(run),
            "it blames a unit that holds everything: \(Self.error(of: run))")
        if run.log.reached.isEmpty, !plan.faults.contains(where: { $0.kind == .battery }) {
            check(run.code == plan.usualCode, "it ended with \(run.code) although nothing had happened: \(Self.error(of: run))")
        }
        check(run.code != 0 || !plan.wouldEraseAtLowCharge, "it erased although the charge is too low")
        for (unit, outcome) in Self.outcomes(of: run) where outcome == "pass" {
            guard let index = plan.units.firstIndex(where: { "\($0.family):\($0.name)" == unit }) else { continue }
            check(truth.units[index].differences.isEmpty, "\(unit) passed, and the truth is another: \(truth.units[index].differences)")
        }
        let limit = Self.usualBytes * (plan.isLarge ? 4 : 1) * plan.units.count * (plan.faults.count + 4)
        check(run.log.byteCount <= limit, "it sent \(run.log.byteCount) bytes")
        judgeBoth(run, truth, before: nil)
        check(run.log.reached.contains(.locked) || truth.ledger.waiting == 0, "records wait although nobody had the ledger")
        if plan.units.count == 1, let outcome = truth.ledger.runs.first?[2], plan.verb != .chat {
            check((outcome == "pass") == (run.code == 0), "it ended with \(run.code), and its record says \(outcome)")
        }
    }

    /// A link that breaks again and again as the unit is asked for its prompt is no other than one that a program ends (PRV-0029).
    private static func looksLikeAProgram(_ run: StormRun) -> Bool {
        run.errors.contains("PRV-0029") && !run.log.reached.isDisjoint(with: [.link, .power, .dying])
    }

    mutating func judgeAgain(_ run: StormRun, _ truth: StormTruth, after first: StormTruth) {
        check(run.code == 0, "one more run ended with \(run.code): \(Self.error(of: run))")
        if run.code == 0 {
            check(truth.isRight, "one more run ended with 0, and the truth is another: \(truth.units.map(\.differences))")
        }
        if plan.verb != .copy { check(truth.ledger.waiting == 0, "\(truth.ledger.waiting) records wait for ever") }
        check(truth.ledger.others == first.ledger.others, "another station's record has changed: \(truth.ledger.others)")
        judgeBoth(run, truth, before: first.ledger)
    }

    private mutating func judgeBoth(_ run: StormRun, _ truth: StormTruth, before: StormTruth.Ledger?) {
        let (old, late) = (before?.runs ?? [], before?.unentered ?? 0)
        check(truth.units.allSatisfy(\.lost.isEmpty), "the owner's files are lost: \(truth.units.map(\.lost))")
        check(truth.ledger.damage.isEmpty, "the ledger is damaged: \(truth.ledger.damage)")
        check(truth.ledger.waiting > 0 || truth.ledger.runs.allSatisfy { $0[2] != nil }, "a record is open: \(truth.ledger.runs)")
        check(truth.ledger.others.allSatisfy { $0[2] == "pass" }, "another station's record is open: \(truth.ledger.others)")
        check(
            truth.ledger.runs.starts(with: old) { $0[2] == $1[2] || $1[2] == nil && $0[2] != nil },
            "a record has changed: \(truth.ledger.runs)")
        let new = truth.ledger.runs.dropFirst(old.count)
        check(late > 0 || Set(new.map { $0[1] }).count == new.count, "a unit has two records of one run: \(new)")
        if before != nil, plan.verb != .copy {
            check(new.count == plan.units.count + late, "one more run has \(new.count) records for \(plan.units.count) units, \(late) late")
        }
        check(truth.left.isEmpty, "files are left: \(truth.left)")
        check(run.sleeping == 0, "\(run.sleeping) sleeps are left")
        check(run.strays == 0, "another thread's pace decided what came next \(run.strays) times")
        check(!run.log.lines.contains("no end"), "it did not end")
        let children = Set(Self.children).subtracting(strangers)
        check(children.isEmpty, "processes are left: \(children.sorted())")
    }

    func result(_ first: StormRun, _ second: StormRun) -> StormResult {
        let isCalm = first.log.reached.isEmpty && !plan.faults.contains { $0.kind == .battery }
        let end: StormResult.End = !findings.isEmpty ? .wrong : isCalm ? .calm : first.code == plan.usualCode ? .recovered : .again
        return StormResult(
            plan: plan, end: end, reached: first.log.reached.sorted { $0.rawValue < $1.rawValue }, findings: findings,
            digest: first.log.digest + second.log.digest, bytes: first.log.byteCount, codes: [first.code, second.code])
    }

    private static func error(of run: StormRun) -> String { String(run.errors.suffix(500)) }

    private static func outcomes(of run: StormRun) -> [(String, String)] {
        guard let document = try? JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any],
            let units = document["units"] as? [[String: Any]]
        else { return [] }
        return units.compactMap { unit in
            guard let name = unit["id"] as? String, let outcome = unit["outcome"] as? String else { return nil }
            return (name, outcome)
        }
    }

    /// The processes that this one has started and that are there.
    private static var children: [String] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return threads.flatMap { thread in
            let children = try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)
            return children?.split(separator: " ").map(String.init) ?? []
        }
    }
}
