import Ledger
import Support
import Synchronization
import Testing

@testable import LedgerServer

/// Sending while units are worked on.
@Suite struct BackgroundUploadTests {
    private let clock = ManualClock()
    private let told = Inbox<LedgerNotice>()

    private func background(_ uploads: HeldUploads) -> BackgroundUploads {
        BackgroundUploads(uploads, clock: clock.clock) { [told] in $0.forEach(told.deliver) }
    }

    @Test func eachClosedRunGoesAtOnce() async throws {
        let uploads = HeldUploads()
        let background = background(uploads)
        for number in 1...3 {
            background.runClosed()
            try await uploads.untilBegun(number)
            uploads.end()
        }
        #expect(await background.finish(within: .seconds(10)) == UploadReport())
        #expect(uploads.state.withLock { $0.lastTries } == [.seconds(10)])
    }

    /// However many runs are closed meanwhile: one upload is under way, and one more follows.
    @Test func oneUploadAtATime() async throws {
        let uploads = HeldUploads()
        let background = background(uploads)
        background.runClosed()
        try await uploads.untilBegun(1)
        for _ in 0..<50 { background.runClosed() }
        uploads.end()
        try await uploads.untilBegun(2)
        uploads.end()
        _ = await background.finish(within: .seconds(10))
        #expect(uploads.state.withLock { ($0.begun, $0.atOnce) } == (2, 1))
    }

    @Test func whatOneUploadHadNoTimeForGoesOn() async throws {
        let uploads = HeldUploads()
        let background = background(uploads)
        background.runClosed()
        for left in [400, 200, 0] {
            try await uploads.untilBegun(3 - left / 200)
            uploads.end(left: left)
        }
        _ = await background.finish(within: .seconds(10))
        #expect(uploads.state.withLock(\.begun) == 3)
    }

    @Test func theShiftsEndWaitsForWhatIsUnderWayThenTriesALastTime() async throws {
        let uploads = HeldUploads()
        let background = try await finish(uploads, after: .seconds(4)) { uploads.end() }
        #expect(uploads.state.withLock { ($0.wasCancelled, $0.lastTries) } == (false, [.seconds(6)]))
        background.runClosed()
        #expect(uploads.state.withLock(\.begun) == 1, "nothing is begun after the end")
    }

    @Test func aServerThatHangsHoldsTheShiftsEndNoLongerThanItsLimit() async throws {
        let uploads = HeldUploads()
        _ = try await finish(uploads, after: .seconds(10)) {}
        #expect(uploads.state.withLock { ($0.wasCancelled, $0.lastTries) } == (true, [.zero]))
    }

    /// The shift ends, at most 10 s, with an upload under way.
    /// - Parameter meanwhile: happens when `time` of it has passed.
    private func finish(_ uploads: HeldUploads, after time: Duration, _ meanwhile: () -> Void) async throws -> BackgroundUploads {
        let background = background(uploads)
        background.runClosed()
        try await uploads.untilBegun(1)
        let finish = Task { await background.finish(within: .seconds(10)) }
        await clock.untilSomebodyWaits()
        clock.advance(time)
        meanwhile()
        _ = await finish.value
        return background
    }

    /// One failure passes without a word; an outage is told once, its end and the next one anew.
    @Test func anOutageIsToldOnce() async throws {
        let uploads = HeldUploads()
        let background = background(uploads)
        let failures = [true, false, true, true, true, true, false, true, true]
        for (number, fails) in failures.enumerated() {
            background.runClosed()
            try await uploads.untilBegun(number + 1)
            uploads.end(left: fails ? number : 0, fails: fails)
        }
        _ = await background.finish(within: .seconds(10))
        let reason = HeldUploads.failure.message
        #expect([told.poll(), told.poll(), told.poll()] == [.unsent(runs: 3, reason: reason), .unsent(runs: 8, reason: reason), nil])
    }
}

/// Uploads that end when a test says so.
private final class HeldUploads: RunUploads {
    struct State {
        var begun = 0
        var underWay = 0
        /// The most at the same time.
        var atOnce = 0
        var wasCancelled = false
        var lastTries: [Duration] = []
    }

    static let failure = Diagnosis("LED-0120", .tryAgain, .station, "m", cause: "c", remedy: "r")

    let state = Mutex(State())
    private let begun = Inbox<Int>()
    private let ends = Inbox<UploadReport>()

    func end(left: Int = 0, fails: Bool = false) {
        var report = UploadReport()
        (report.left, report.failure) = (left, fails ? Self.failure : nil)
        ends.deliver(report)
    }

    func untilBegun(_ number: Int) async throws {
        let clock = SessionClock.continuous
        #expect(try await begun.next(before: clock.deadline(in: .seconds(60)), on: clock) == number)
    }

    func sendOnce(within limit: Duration) async -> UploadReport {
        begun.deliver(
            state.withLock { state in
                state.begun += 1
                state.underWay += 1
                state.atOnce = max(state.atOnce, state.underWay)
                return state.begun
            })
        let clock = SessionClock.continuous
        let report = try? await ends.next(before: clock.deadline(in: .forever), on: clock)
        state.withLock { state in
            state.underWay -= 1
            if report == nil { state.wasCancelled = true }
        }
        return report ?? UploadReport()
    }

    func send(within limit: Duration) async -> UploadReport {
        state.withLock { $0.lastTries.append(limit) }
        return UploadReport()
    }
}
