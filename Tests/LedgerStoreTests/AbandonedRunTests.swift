import Foundation
import Ledger
import Support
import TestSupport
import Testing

@testable import LedgerStore

/// Runs that their process left open.
@Suite struct AbandonedRunTests {
    let folder: TemporaryFolder
    let time = TestTime()
    let ledger: SQLiteLedger

    init() throws {
        let (folder, time) = (try TemporaryFolder(), time)
        self.folder = folder
        ledger = SQLiteLedger(folder: folder.path("ledger"), now: { time.now })
    }

    @Test func theNextRunOfTheStationClosesThemAndSaysSo() async throws {
        let writer = try WriterProcess(folder.path("ledger"), "line-1", "hold")
        let open = try #require(writer.line())
        writer.kill()
        _ = writer.rest()
        let elsewhere = try await ledger.open(Samples.start(station: "line-2"), clock: time.clock())
        #expect(elsewhere.notices.isEmpty)
        let next = try await ledger.open(Samples.start(), clock: time.clock())
        let notice = try #require(next.notices.first?.diagnosis)
        #expect(notice.code == "LED-0020" && notice.message.contains(open.id))
        let closed = try #require(try await ledger.runs().first)
        #expect("\(closed.id)" == open.id && closed.seq == 1 && closed.elapsedMilliseconds == nil)
        #expect((closed.outcome, closed.blame, closed.code) == (.aborted, .station, "LED-0006"))
        #expect(try await ledger.open(Samples.start(), clock: time.clock()).notices.isEmpty)
    }

    @Test func theRunOfALivingProcessIsLeftToIt() async throws {
        let writer = try WriterProcess(folder.path("ledger"), "line-1", "hold")
        let open = try #require(writer.line())
        #expect(try await ledger.open(Samples.start(), clock: time.clock()).notices.isEmpty)
        #expect(try await ledger.runs().first?.isOpen == true)
        writer.endInput()
        _ = writer.rest()
        #expect(try await ledger.open(Samples.start(), clock: time.clock()).notices.count == 1)
        #expect(try await ledger.runs().first.map { "\($0.id)" } == open.id)
    }

    @Test func anotherLedgerOfTheSameProcessCountsAsAlive() async throws {
        var first: SQLiteLedger? = SQLiteLedger(folder: folder.path("ledger"))
        let run = try await first?.open(Samples.start(), clock: time.clock())
        #expect(try await ledger.open(Samples.start(), clock: time.clock()).notices.isEmpty)
        #expect(run?.record.isOpen == true)
        first = nil
        _ = run
    }
}
