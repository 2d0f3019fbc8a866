import Foundation
import Ledger
import Support
import TestSupport
import Testing

@testable import LedgerStore

/// Processes that are killed while they write.
@Suite struct KillTests {
    let folder: TemporaryFolder
    let time = TestTime()

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path("ledger") }

    /// What was acknowledged is there, whatever came after it.
    private func check(_ said: [WriterProcess.Line], _ runs: [RunRecord]) {
        let byID = Dictionary(uniqueKeysWithValues: runs.map { ("\($0.id)", $0) })
        for line in said {
            guard let run = byID[line.id] else { return _ = Issue.record("\(line.what) \(line.id) is lost") }
            guard line.what == "closed" else { continue }
            let isWhole = run.outcome == .pass && run.steps.count == 3 && run.versionsAfter == ["firmware": "v1"]
            // In the spool it has no number yet.
            let isNumbered = line.seq > 0 || line.notices.contains("LED-0021")
            if !isWhole || !isNumbered || line.seq > 0 && Int64(line.seq) != run.seq { Issue.record("\(line.id) is torn: \(run)") }
        }
        #expect(Set(runs.map(\.id)).count == runs.count)
        for run in runs where run.outcome == .aborted {
            if run.code != "LED-0006" || run.blame != .station { Issue.record("\(run.id) has no reason") }
        }
    }

    @Test func aKillAtAnyMomentLosesNothing() async throws {
        var numbers = SeededNumbers(seed: 15)
        var said: [WriterProcess.Line] = []
        let kills = TestRange.isFull ? 1000 : 100
        for round in 0..<kills / 2 {
            // Two at a time, of the same station and of another one.
            let writers = try (0..<2).map { try WriterProcess(path, round.isMultiple(of: 2) ? "line-1" : "line-\($0)", "1000000") }
            // Some are killed while they start, most in the middle of their first, second or third run.
            let wanted = round.isMultiple(of: 5) ? 0 : Int.random(in: 1...12, using: &numbers)
            said += writers.flatMap { $0.lines(wanted) }
            usleep(UInt32.random(in: 0...20_000, using: &numbers))
            writers.forEach { $0.kill() }
            said += writers.flatMap { $0.rest() }
        }
        let ledger = SQLiteLedger(folder: path)
        for station in ["line-0", "line-1"] {
            let run = try await ledger.open(Samples.start(1, station: station), clock: LedgerClock())
            try await run.close(.pass) { run in
                run.versionsAfter = ["firmware": "v1"]
                run.steps = Array(repeating: RunStep(name: "s", startMilliseconds: 0, milliseconds: 1), count: 3)
            }
        }
        let (runs, state) = (try await ledger.runs(), try await ledger.check())
        check(said, runs)
        #expect(state.isSound && state.openRuns == 0, "\(state)")
        #expect(said.filter { $0.what == "closed" }.count > kills / 10, "the kills came too early to tell anything")
        #expect(runs.contains { $0.outcome == .aborted })
        print("kills: \(kills), runs: \(runs.count), acknowledged: \(said.count), aborted: \(runs.filter { $0.outcome == .aborted }.count)")
    }

    /// A new file begins with a journal of the old kind: a kill may leave it.
    @Test func aKillWhileTheFileIsMadeLosesNothing() async throws {
        var numbers = SeededNumbers(seed: 17)
        for round in 0..<(TestRange.isFull ? 200 : 25) {
            let fresh = folder.path("ledger-\(round)")
            let writer = try WriterProcess(fresh, "line-1", "1000000")
            while !FileManager.default.fileExists(atPath: "\(fresh)/ledger.sqlite") { usleep(100) }
            usleep(UInt32.random(in: 0...8000, using: &numbers))
            writer.kill()
            let said = writer.rest()
            let ledger = SQLiteLedger(folder: fresh)
            let run = try await ledger.open(Samples.start(), clock: LedgerClock())
            #expect(run.notices.allSatisfy { $0.diagnosis.code == "LED-0020" }, "\(run.notices)")
            check(said, try await ledger.runs())
        }
    }

    @Test func twoWritersAtOnceLoseNothing() async throws {
        let count = TestRange.isFull ? 300 : 40
        let writers = try (0..<2).map { _ in try WriterProcess(path, "line-1", "\(count)") }
        let said = writers.flatMap { $0.rest() }
        let ledger = SQLiteLedger(folder: path)
        let runs = try await ledger.runs()
        check(said, runs)
        #expect(runs.count == 2 * count && Set(runs.compactMap(\.seq)) == Set(1...Int64(2 * count)))
        #expect(said.allSatisfy { $0.notices.isEmpty })
        #expect(try await ledger.check().isSound)
    }

    /// The database may grow for some records only, so that each process begins in the file and goes on in the spool.
    @Test func aKillOfASpoolingProcessLosesNothing() async throws {
        var numbers = SeededNumbers(seed: 16)
        var said: [WriterProcess.Line] = []
        let ledger = SQLiteLedger(folder: path)
        for _ in 0..<(TestRange.isFull ? 100 : 10) {
            let writer = try WriterProcess(path, "line-1", "1000000", "40000")
            said += writer.lines(Int.random(in: 1...25, using: &numbers)).filter { $0.what != "error" }
            usleep(UInt32.random(in: 0...10_000, using: &numbers))
            writer.kill()
            said += writer.rest().filter { $0.what != "error" }
            try await ledger.open(Samples.start(1), clock: LedgerClock()).close(.pass)
        }
        check(said, try await ledger.runs())
        let state = try await ledger.check()
        #expect(state.isSound && state.openRuns == 0, "\(state)")
        #expect(said.contains { $0.what == "closed" && $0.notices.contains("LED-0021") }, "no process came as far as its spool")
    }
}
