import Foundation
import LedgerServer
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
    /// To the units, in the first run.
    var bytes: Int
    /// Seconds of simulated time, of the first run.
    var elapsed: Double
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
    fileprivate var usualCode: Int32 { [.verify, .chat, .robot, .drive].contains(verb) && units[0].prior != .provisioned ? 1 : lastCode }

    /// As it ends once the units hold everything.
    var lastCode: Int32 { dies ? 1 : 0 }

    /// A new unit has to be erased.
    fileprivate func isTooLow(_ unit: Int) -> Bool {
        [.flash, .firmware, .fpga, .fleet, .line].contains(verb) && units[unit].prior == .factory
            && faults.contains { $0.kind == .battery && $0.unit == unit }
    }

    /// Another process has the only unit, or another station, and the server says so; or claims are required, and it says nothing.
    fileprivate var isClaimless: Bool {
        let ofClaims: [StormFault] = faults.filter { $0.kind == .claims }
        let isAnswered = ofClaims.first { $0.at == 1 }?.isLate ?? true
        let isRefused = isAnswered ? ofClaims.contains { $0.at == 0 } : claims == .require
        return units.count == 1 && (isRefused || faults.contains { $0.kind == .busy })
    }

    fileprivate var bringsScripts: Bool { [.flash, .fleet, .line, .scripts, .update].contains(verb) }

    /// Has faults that come by chance again and again.
    fileprivate func isRandom(_ unit: Int) -> Bool {
        faults.contains { $0.unit == unit && [.loss, .corruption, .delay, .silence, .dying, .firmwareCut, .deaf, .crash].contains($0.kind) }
    }

    /// Plays the world twice: with its faults, and once more without.
    /// - Parameter calm: what the same world without its only fault has cost.
    func play(
        _ station: StormStation, _ bases: StormBases, beside calm: StormResult? = nil, keeping: (([String]) -> Void)? = nil
    ) async throws -> StormResult {
        var judge = StormJudge(plan: self)
        let world = try StormWorld(self, station)
        try await world.prepare(bases)
        let begun = ContinuousClock.now
        let first = try await world.run(verb, faults: true, seed: seed, day: 0)
        let truth = try await world.truth(verb == .verify ? .flash : verb, station)
        judge.judge(first, truth)
        if let calm { judge.judgeCost(of: first, beside: calm) }
        try world.mend()
        let second = try await world.run(remedy, faults: false, seed: seed &+ 1, day: 1)
        judge.judgeAgain(second, try await world.truth(remedy, station), after: truth)
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
    /// Of firmware, for one fault: two objects, and the init packet. A pace that is tried costs the same once.
    private static let objectBytes = 2 * 4096 + 200

    let plan: StormPlan
    private var findings: [String] = []
    /// The processes of other tests, such as a server that several share, and the one that tells the truth.
    private let strangers: Set<String>

    init(plan: StormPlan) {
        self.plan = plan
        _ = (StormTruth.teller, plan.claims.map { _ in StormServer.shared })
        strangers = Set(Self.children)
    }

    private mutating func check(_ isRight: Bool, _ finding: String) { if !isRight { findings.append(finding) } }

    mutating func judge(_ run: StormRun, _ truth: StormTruth) {
        let differences = zip(plan.units, truth.units).map { "\($0.family):\($0.name) \($1.differences)" }.joined(separator: ", ")
        // Ctrl-C ends a line after its unit; the others are not in its document.
        let endsBefore = plan.verb == .line && !run.log.reached.isDisjoint(with: [.cancel, .interrupt])
        check(run.code != 0 || !plan.dies, "it ended with 0, and the program does not live")
        check(run.code != 0 || truth.isRight || endsBefore, "it ended with 0, and the truth is another: \(differences)")
        check(
            run.code != 1 || plan.units.count > 1 || !truth.isRight || plan.verb == .chat || looksLikeAProgram(run),
            "it blames a unit that holds everything: \(Self.error(of: run))")
        if run.log.reached.isEmpty, !plan.faults.contains(where: { $0.kind == .battery }) {
            check(run.code == plan.usualCode, "it ended with \(run.code) although nothing had happened: \(Self.error(of: run))")
        }
        for (index, unit) in plan.units.enumerated() where plan.isTooLow(index) {
            let work = run.log.unit(index)
            check(work.firmware == 0 && work.moments[.erase] == nil, "it wrote to \(unit.name) although the charge is too low")
        }
        check(!plan.isClaimless || run.code != 0 && run.log.byteCount == 0, "it worked on a unit that is not its own")
        for (index, outcome) in Self.outcomes(of: run, plan) {
            let (unit, differences) = (plan.units[index].name, truth.units[index].differences)
            check(outcome != "pass" || !plan.dies, "\(unit) passed, and its program does not live")
            check(outcome != "pass" || differences.isEmpty, "\(unit) passed, and the truth is another: \(differences)")
            check(outcome != "fail" || !differences.isEmpty || looksLikeAProgram(run), "it blames \(unit), which holds everything")
        }
        // Nothing tells a chat that a unit has got another word, or another start, than was sent.
        let isInnocent = plan.usualCode == 0 && !plan.faults.contains { $0.kind == .battery }
            && run.log.reached.isSubset(of: Self.ofTheStation.union(Self.ofTheAir)) && !looksLikeAProgram(run)
            && !(plan.verb == .chat && run.log.reached.contains(.damagedPacket))
        check(run.code != 1 || !isInnocent, "it blames a unit for what the air or the station did: \(Self.error(of: run))")
        judgePrograms(run, truth)
        for (index, unit) in plan.units.enumerated() {
            let faults = plan.faults.filter { $0.unit == index && !Self.ofTheStation.contains($0.kind) }
            if !plan.isRandom(index) { judgeWork(run.log.unit(index), of: unit, faults) }
        }
        let limit = Self.usualBytes * (plan.isLarge ? 4 : 1) * plan.units.count * (plan.faults.count + 4)
        check(run.log.byteCount <= limit, "it sent \(run.log.byteCount) bytes")
        for (index, unit) in plan.units.enumerated() where plan.bringsScripts && [.factory, .owned, .older].contains(unit.prior) {
            let held = truth.units[index]
            check(!held.isMixed, "\(unit.name) has its program before the files that it needs: \(held.differences)")
        }
        judgeBoth(run, truth, before: nil)
        check(run.log.reached.contains(.locked) || truth.ledger.waiting == 0, "records wait although nobody had the ledger")
        if plan.units.count == 1, let outcome = truth.ledger.runs.first?[2], plan.verb != .chat {
            check((outcome == "pass") == (run.code == 0), "it ended with \(run.code), and its record says \(outcome)")
        }
    }

    /// What never touches a unit.
    private static let ofTheStation: Set<StormFault.Kind> = [
        .cancel, .interrupt, .clock, .station, .locked, .busy, .catalogue, .claims, .uploads,
    ]

    /// Once each, and over; a power that fails once, too.
    private static let ofTheAir: Set<StormFault.Kind> = [
        .link, .power, .lostPacket, .lostNotification, .damagedPacket, .damagedNotification, .delay, .silence, .flashCut, .firmwareCut,
    ]

    /// As the unit itself tells: after a pass its program runs, and after Ctrl-C on a unit that had nothing to change.
    private mutating func judgePrograms(_ run: StormRun, _ truth: StormTruth) {
        let isUnchanged = [.verify, .chat, .copy, .remove].contains(plan.verb)
        let isCut = !run.log.reached.isSubset(of: Self.ofTheStation) || run.log.reached.contains(.busy)
        for (index, unit) in plan.units.enumerated() where truth.units[index].hasProgram {
            // A program with a wrong bit may end.
            guard !plan.dies, unit.prior != .drifted || plan.bringsScripts && truth.units[index].differences.isEmpty else { continue }
            let mustRun = run.code == 0 || !isCut && (isUnchanged || unit.prior == .provisioned)
            check(!mustRun || !run.log.unit(index).isAtPrompt, "it ended with \(run.code), and \(unit.name) waits at its prompt")
        }
    }

    /// What is sent and written again needs a fault.
    /// - Parameter faults: each of one packet. With its link or its power a bootloader also loses what it has of an image: its progress
    ///   is in memory, and the end of a link takes it back to what it has stored.
    private mutating func judgeWork(_ work: StormLog.Unit, of unit: StormPlan.Unit, _ faults: [StormFault]) {
        // Over so many objects a pace that was too quick is tried again, ever more rarely: a few packets each time.
        let whole = plan.isLarge && unit.family == "frame" ? 300_200 + 6000 : 12_200
        let most = whole * (1 + faults.count { [.link, .power].contains($0.kind) }) + (1 + faults.count) * Self.objectBytes
        check(work.firmware <= most, "\(unit.name) was sent \(work.firmware) bytes of firmware")
        for moment in [StormMoment.erase, .marker] {
            let count = work.moments[moment] ?? 0
            check(count <= 1 + faults.count, "\(unit.name): \(moment) \(count) times")
        }
    }

    /// What one fault may cost: a link that is lost at the last EXECUTE half a minute, as its unit may be in either mode. An erase whose
    /// answer is lost is waited for as long as it may take, and done once more.
    mutating func judgeCost(of run: StormRun, beside calm: StormResult) {
        guard !plan.isLarge, let kind = plan.faults.first?.kind, let most = Self.costs[kind], run.code == calm.codes[0] else { return }
        let (bytes, seconds) = (run.log.byteCount - calm.bytes, run.elapsed / .seconds(1) - calm.elapsed)
        check(bytes <= most.bytes, "\(kind) cost \(bytes) bytes")
        let isErasedTwice = kind == .lostNotification && plan.units.indices.contains { run.log.unit($0).moments[.erase, default: 0] > 1 }
        check(seconds <= (isErasedTwice ? 46 : most.seconds), "\(kind) cost \(seconds) s")
    }

    private static let costs: [StormFault.Kind: (bytes: Int, seconds: Double)] = [
        .lostPacket: (4200, 9), .lostNotification: (4200, 15), .damagedPacket: (6500, 10), .damagedNotification: (12_500, 9),
        .link: (12_500, 30),
    ]

    /// A link that breaks again and again as the unit is asked for its prompt, or that two faults break, is no other than one that a
    /// program ends (PRV-0029, PRV-0045).
    private func looksLikeAProgram(_ run: StormRun) -> Bool {
        if plan.dies, ["PRV-0040", "PRV-0041"].contains(where: (run.errors + run.output).contains) { return true }
        let cuts: Set<StormFault.Kind> = [.link, .power, .dying]
        guard !run.log.reached.isDisjoint(with: cuts) else { return false }
        return run.errors.contains("PRV-0029") || run.errors.contains("PRV-0045") && plan.faults.count { cuts.contains($0.kind) } > 1
    }

    mutating func judgeAgain(_ run: StormRun, _ truth: StormTruth, after first: StormTruth) {
        check(run.code == plan.lastCode, "one more run ended with \(run.code): \(Self.error(of: run))")
        if run.code == plan.lastCode {
            check(truth.isRight, "one more run ended with \(run.code), and the truth is another: \(truth.units.map(\.differences))")
        }
        judgePrograms(run, truth)
        for (index, unit) in plan.units.enumerated() {
            let work = run.log.unit(index)
            judgeWork(work, of: unit, [])
            guard plan.bringsScripts, first.units[index].differences.isEmpty else { continue }
            let count = work.firmware + [StormMoment.erase, .marker, .placing].reduce(0) { $0 + (work.moments[$1] ?? 0) }
            check(count == 0, "one more run changes \(unit.name), which holds everything")
        }
        if plan.verb.isRecorded { check(truth.ledger.waiting == 0, "\(truth.ledger.waiting) records wait for ever") }
        check(truth.ledger.unsent == 0, "\(truth.ledger.unsent) records are not on the server")
        check(truth.ledger.claimed == 0, "\(truth.ledger.claimed) units are claimed still")
        check(truth.ledger.others == first.ledger.others, "another station's record has changed: \(truth.ledger.others)")
        judgeBoth(run, truth, before: first.ledger)
    }

    private mutating func judgeBoth(_ run: StormRun, _ truth: StormTruth, before: StormTruth.Ledger?) {
        let (old, late) = (before?.runs ?? [], before?.unentered ?? 0)
        check(truth.units.allSatisfy(\.lost.isEmpty), "the owner's files are lost: \(truth.units.map(\.lost))")
        check(truth.units.allSatisfy(\.harm.isEmpty), "it does harm: \(truth.units.map(\.harm))")
        check(truth.ledger.damage.isEmpty, "the ledger is damaged: \(truth.ledger.damage)")
        check(truth.ledger.waiting > 0 || truth.ledger.runs.allSatisfy { $0[2] != nil }, "a record is open: \(truth.ledger.runs)")
        check(truth.ledger.others.allSatisfy { $0[2] == "pass" }, "another station's record is open: \(truth.ledger.others)")
        check(
            truth.ledger.runs.starts(with: old) { $0[2] == $1[2] || $1[2] == nil && $0[2] != nil },
            "a record has changed: \(truth.ledger.runs)")
        let new = truth.ledger.runs.dropFirst(old.count)
        for (index, outcome) in Self.outcomes(of: run, plan) {
            guard let record = new.last(where: { $0[1] == truth.units[index].address }), record[2] != nil || truth.ledger.waiting == 0
            else { continue }
            check((outcome == "pass") == (record[2] == "pass"), "\(plan.units[index].name): \(outcome), and its record says \(record)")
        }
        check(late > 0 || Set(new.map { $0[1] }).count == new.count, "a unit has two records of one run: \(new)")
        if before != nil, plan.verb.isRecorded {
            check(new.count == plan.units.count + late, "one more run has \(new.count) records for \(plan.units.count) units, \(late) late")
        }
        check(!(run.errors + run.output).contains("PRV-0044"), "it says that a program changes its files: \(Self.error(of: run))")
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
            digest: first.log.digest + second.log.digest, bytes: first.log.byteCount, elapsed: first.elapsed / .seconds(1),
            codes: [first.code, second.code])
    }

    private static func error(of run: StormRun) -> String { String(run.errors.suffix(500)) }

    /// Of several, by the number of each.
    private static func outcomes(of run: StormRun, _ plan: StormPlan) -> [(Int, String)] {
        guard let document = try? JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any],
            let units = document["units"] as? [[String: Any]]
        else { return [] }
        return units.compactMap { unit in
            guard let outcome = unit["outcome"] as? String,
                let index = plan.units.firstIndex(where: { "\($0.family):\($0.name)" == unit["id"] as? String })
            else { return nil }
            return (index, outcome)
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
