import Assistant
import Support
import Synchronization
import Testing

@testable import noafw

@Suite struct SoakLogTests {
    private var log: SoakLog
    private var now = SessionClock.Instant(offset: .seconds(50))

    init() throws {
        let count = Mutex(0)
        let plan = try #require(SoakPlan("3 every 2s") { _ in 2 })
        log = SoakLog(plan: plan) {
            count.withLock {
                $0 += 1
                return ConfirmationID("ping\($0)")
            }
        }
    }

    private func turn(_ number: Int) -> TurnID { TurnID(number: number) }
    private func ping(_ number: Int) -> ConfirmationID { ConfirmationID("ping\(number)") }

    private mutating func begin(_ number: Int) {
        let commands = log.begin(number, now: now)
        #expect(commands == [.tell("\(number) of 3"), .ping(ping(number))])
        _ = log.take(.asked(turn(number), .notice("\(number) of 3")), now: now)
    }

    @Test mutating func aCleanSoak() {
        for number in 1...3 {
            begin(number)
            _ = log.take(.delivered(turn(number)), now: now.advanced(by: .milliseconds(200)))
            _ = log.take(.pong(ping(number)), now: now)
        }
        #expect(log.openCount == 0)
        #expect(log.result.isClean && log.result.lost == 0 && log.result.failure == nil)
        #expect(
            log.result.summary
                == "soak: 3 messages each way, 0 lost, 0 duplicate, 0 out of order, 0 sent again, 0 reconnects, longest delivery 0.2 s")
    }

    @Test mutating func lossDuplicatesAndDisorderAreCounted() {
        for number in 1...3 { begin(number) }
        _ = log.take(.delivered(turn(2)), now: now)
        _ = log.take(.delivered(turn(1)), now: now)
        _ = log.take(.undeliverable(turn(3), .noReceipt), now: now)
        _ = log.take(.pong(ping(3)), now: now)
        _ = log.take(.pong(ping(1)), now: now)
        _ = log.take(.pong(ping(1)), now: now)
        _ = log.take(.notice(.unknownConfirmation("ping1")), now: now)
        #expect(log.result.delivered == 2 && log.result.answered == 2 && log.result.reordered == 2 && log.result.duplicates == 1)
        #expect(log.result.lost == 2 && log.openCount == 1)
        #expect(log.result.failure?.code == "NOA-0033")
    }

    @Test func eachFaultAloneFailsIt() {
        let clean = SoakResult(planned: 2, sent: 2, delivered: 2, answered: 2)
        #expect(!SoakResult().isClean, "nothing was sent")
        #expect(clean.failure == nil)
        for fault in [\SoakResult.duplicates, \.reordered] {
            var result = clean
            result[keyPath: fault] = 1
            #expect(result.failure?.code == "NOA-0033")
        }
        for way in [\SoakResult.delivered, \.answered] {
            var result = clean
            result[keyPath: way] = 1
            #expect(result.failure?.code == "NOA-0033")
        }
    }

    @Test mutating func aLostLinkLosesNoPing() {
        begin(1)
        _ = log.take(.lost(reason: "gone"), now: now)
        _ = log.take(.connected(UnitStatus()), now: now)
        #expect(log.take(.ready, now: now) == [.ping(ping(2))])
        #expect(log.result.reconnects == 1 && log.result.askedAgain == 1)
        // What was asked over the old link is nobody's answer any more.
        _ = log.take(.pong(ping(1)), now: now)
        #expect(log.result.answered == 0)
        _ = log.take(.pong(ping(2)), now: now)
        #expect(log.result.answered == 1)
        #expect(log.advance(now: now.advanced(by: .seconds(60))) == [])
    }

    @Test mutating func aPingWithoutAnswerIsSentAgain() {
        begin(1)
        #expect(log.advance(now: now.advanced(by: .seconds(7))) == [])
        #expect(log.advance(now: now.advanced(by: .seconds(8))) == [.ping(ping(2))])
    }

    @Test(arguments: ["", "3", "3 every", "0 every 2s", "-1 every 2s", "100001 every 2s", "x every 2s", "3 each 2s"])
    func whatIsNoPlan(text: String) { #expect(SoakPlan(text) { _ in 2 } == nil) }
}
