import Ledger
import Support
import Synchronization
import Testing

@testable import LedgerServer

/// What goes when, without a server.
@Suite struct UploadTests {
    private let clock = ManualClock()

    private func uploads(_ sink: StubSink, _ outbox: MemoryOutbox) -> ServerUploads {
        ServerUploads(sink, outbox: outbox, station: "line", clock: clock.clock, chance: { 1 })
    }

    @Test func allGoInTheirOrderInBatches() async {
        let outbox = MemoryOutbox(Runs.closed(450, station: "line"))
        let sink = StubSink()
        let report = await uploads(sink, outbox).send(within: .seconds(5))
        #expect(report.sent == 450 && report.left == 0 && report.failure == nil && report.notices.isEmpty)
        #expect(sink.calls.map(\.count) == [200, 200, 50] && sink.calls.flatMap(\.self) == Array(1...450))
    }

    @Test func aBatchIsNoLongerThanAMegabyte() async {
        let runs = Runs.closed(40, station: "line") { _, run in run.plan = "[\"\(String(repeating: "x", count: 60_000))\"]" }
        let sink = StubSink()
        _ = await uploads(sink, MemoryOutbox(runs)).send(within: .seconds(5))
        #expect(sink.calls.map(\.count) == [17, 17, 6] && sink.calls.flatMap(\.self) == Array(1...40))
    }

    @Test(arguments: ["22P05", "23514", "42804"])
    func aRowThatIsRefusedBlocksNoOther(state: String) async {
        let outbox = MemoryOutbox(Runs.closed(20, station: "line"))
        let sink = StubSink(poison: [3: state, 17: state])
        let report = await uploads(sink, outbox).send(within: .seconds(5))
        #expect(report.sent == 18 && report.left == 0 && report.rejected.map(\.id) == [outbox.all[2].id, outbox.all[16].id])
        #expect(outbox.sentNumbers == Set(1...20).subtracting([3, 17]))
        #expect(report.notices.map(\.diagnosis.code) == ["LED-0141", "LED-0141"] && report.rejected[0].reason.contains(state))
        #expect(outbox.rejectedNumbers == [3, 17])
    }

    /// The server's set-up is no row's fault: nothing is parked.
    @Test(arguments: [
        ServerFault.answered(state: "42501", reason: "permission denied for table runs"),
        .answered(state: "42P01", reason: "no such table"),
        .schema(found: 2), .login("password authentication failed"),
    ])
    func aServerThatIsSetUpWrongParksNothing(fault: ServerFault) async {
        let outbox = MemoryOutbox(Runs.closed(3, station: "line"))
        let sink = StubSink(failures: [fault])
        let uploads = uploads(sink, outbox)
        let report = await uploads.send(within: .seconds(5))
        #expect(report.sent == 0 && report.left == 3 && report.rejected.isEmpty && report.failure == fault.error.diagnosis)
        #expect(sink.calls.count == 1)
    }

    @Test(arguments: ["08006", "53300", "57P01", "40001", "55P03", "25006", "XX000"])
    func whatPassesIsTriedAgain(state: String) async {
        let outbox = MemoryOutbox(Runs.closed(3, station: "line"))
        let sink = StubSink(failures: [.answered(state: state, reason: "later"), .lost("no answer in time")])
        let uploads = uploads(sink, outbox)
        let sending = Task { await uploads.send(within: .seconds(5)) }
        await clock.untilSomebodyWaits()
        clock.advance(.seconds(1))
        await clock.untilSomebodyWaits()
        clock.advance(.seconds(2))
        let report = await sending.value
        #expect(report.sent == 3 && report.left == 0 && report.failure == nil && sink.calls.count == 3)
    }

    @Test func aServerThatStaysAwayHoldsNoRunUp() async {
        let outbox = MemoryOutbox(Runs.closed(3, station: "line"))
        let sink = StubSink(failures: Array(repeating: .lost("away"), count: 100))
        let uploads = uploads(sink, outbox)
        let sending = Task { await uploads.send(within: .seconds(2)) }
        await clock.untilSomebodyWaits()
        clock.advance(.seconds(1))
        let first = await sending.value
        #expect(first.left == 3 && first.notices == [.unsent(runs: 3, reason: first.failure?.message ?? "")] && sink.calls.count == 2)
        // The next run, right afterwards: it is not time yet.
        let second = await uploads.sendOnce(within: .seconds(1))
        #expect(second.left == 3 && second.failure == first.failure && sink.calls.count == 2)
        // The last run: it has its try, whatever was before.
        let last = Task { await uploads.send(within: .milliseconds(100)) }
        #expect(await last.value.left == 3 && sink.calls.count == 3)
    }

    @Test func oneTryEndsWithTheFirstFailure() async {
        let outbox = MemoryOutbox(Runs.closed(250, station: "line"))
        let sink = StubSink(failures: [.lost("away")])
        let uploads = uploads(sink, outbox)
        let report = await uploads.sendOnce(within: .seconds(10))
        #expect(report.left == 250 && report.failure != nil && sink.calls.count == 1)
        clock.advance(.seconds(1))
        #expect(await uploads.sendOnce(within: .seconds(10)).sent == 250)
    }

    @Test func aCancelledCallWaitsForNothing() async {
        let sink = StubSink(failures: Array(repeating: .lost("away"), count: 100))
        let uploads = uploads(sink, MemoryOutbox(Runs.closed(3, station: "line")))
        let sending = Task { await uploads.send(within: .seconds(60)) }
        await clock.untilSomebodyWaits()
        sending.cancel()
        #expect(await sending.value.left == 3 && sink.calls.count == 1)
    }

    @Test func aLostAnswerSendsTheSameAgain() async {
        let outbox = MemoryOutbox(Runs.closed(3, station: "line"))
        let sink = StubSink(failures: [.lost("no answer in time")], keepsDespiteFailure: true)
        let uploads = uploads(sink, outbox)
        let sending = Task { await uploads.send(within: .seconds(5)) }
        await clock.untilSomebodyWaits()
        clock.advance(.seconds(1))
        #expect(await sending.value.sent == 3)
        #expect(sink.kept == [1, 2, 3] && sink.calls == [[1, 2, 3], [1, 2, 3]])
    }

    @Test func theNextTryComesLaterEachTime() {
        var backoff = Backoff()
        var waits: [Duration] = []
        for _ in 0..<9 {
            backoff.failed(at: .init(offset: .zero), chance: 1)
            waits.append(backoff.due?.offset ?? .zero)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        backoff.failed(at: .init(offset: .zero), chance: 0)
        #expect(backoff.due?.offset == .seconds(30))
        backoff.succeeded()
        #expect(backoff.due == nil)
    }
}

/// Takes what a test lets it.
final class StubSink: RunSink {
    private struct State {
        var calls: [[Int]] = []
        var kept: Set<Int> = []
        var failures: [ServerFault]
    }

    private let state: Mutex<State>
    private let poison: [Int: String]
    private let keepsDespiteFailure: Bool

    init(failures: [ServerFault] = [], poison: [Int: String] = [:], keepsDespiteFailure: Bool = false) {
        state = Mutex(State(failures: failures))
        (self.poison, self.keepsDespiteFailure) = (poison, keepsDespiteFailure)
    }

    var calls: [[Int]] { state.withLock(\.calls) }
    var kept: Set<Int> { state.withLock(\.kept) }

    func insert(_ runs: [RunRecord], last: RunNumber?, within limit: Duration) async throws(ServerFault) {
        let numbers = runs.compactMap { $0.seq.map(Int.init) }
        let fault = state.withLock { state -> ServerFault? in
            state.calls.append(numbers)
            let fault = state.failures.isEmpty ? nil : state.failures.removeFirst()
            let poisoned = numbers.compactMap { poison[$0] }.first.map { ServerFault.answered(state: $0, reason: "poisoned") }
            if fault == nil && poisoned == nil || keepsDespiteFailure { state.kept.formUnion(numbers) }
            return fault ?? poisoned
        }
        if let fault { throw fault }
    }
}

final class MemoryOutbox: RunOutbox {
    let all: [RunRecord]
    private let state = Mutex((sent: Set<RunID>(), rejected: Set<RunID>()))

    init(_ runs: [RunRecord]) { all = runs }

    var sentNumbers: Set<Int64> { state.withLock { state in Set(all.filter { state.sent.contains($0.id) }.compactMap(\.seq)) } }
    var rejectedNumbers: Set<Int64> { state.withLock { state in Set(all.filter { state.rejected.contains($0.id) }.compactMap(\.seq)) } }

    private var waiting: [RunRecord] {
        state.withLock { state in all.filter { !state.sent.contains($0.id) && !state.rejected.contains($0.id) } }
    }

    func unsent(station: String, limit: Int) async throws(LedgerError) -> [RunRecord] { Array(waiting.prefix(limit)) }
    func unsentCount(station: String) async throws(LedgerError) -> Int { waiting.count }
    func markSent(_ ids: [RunID]) async throws(LedgerError) { state.withLock { $0.sent.formUnion(ids) } }
    func markRejected(_ run: RejectedRun) async throws(LedgerError) { state.withLock { _ = $0.rejected.insert(run.id) } }
    func lastNumber(station: String) async throws(LedgerError) -> RunNumber? { nil }
    var unreadable: LedgerNotice? { nil }
}
