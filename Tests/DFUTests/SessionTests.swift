import Bluetooth
import Support
import Synchronization
import Testing
import VirtualDevices

@testable import DFU

@Suite struct SessionTests {
    static let size = 30_000
    let time = VirtualTime.simulated()
    let image: FirmwareImage

    init() throws { image = try Fixtures.firmware(Self.size) }

    func unit(_ faults: ModelBootloader.Faults = .init()) -> ModelBootloader {
        ModelBootloader(imageSize: Self.size, clock: time.clock, faults: faults)
    }

    func run(
        _ unit: ModelBootloader, payloadSize: Int = 244, report: @escaping @Sendable (DFUEvent) -> Void = { _ in }
    ) async throws -> TransferSummary {
        let link = try #require(ModelLink(to: unit, payloadSize: payloadSize))
        do {
            let summary = try await DFUSession(connection: link, clock: time.clock).transfer(image, report: report)
            #expect(link.openChannels.withLock { $0 } == 0)
            return summary
        } catch {
            #expect(link.openChannels.withLock { $0 } == 0, "the channel was left open")
            throw error
        }
    }

    func expectProved(_ unit: ModelBootloader) {
        unit.kept.withLock {
            #expect($0.image == image.bytes)
            #expect($0.isActivated)
        }
    }

    @Test(arguments: [20, 100, 244, 253]) func transfersAtEveryPayload(payloadSize: Int) async throws {
        try await time.run {
            let unit = unit()
            let events = Mutex<[Int]>([])
            let summary = try await run(unit, payloadSize: payloadSize) { event in
                if case .progress(let count, _) = event { events.withLock { $0.append(count) } }
            }
            expectProved(unit)
            #expect(summary.losses == 0 && summary.isConfirmed)
            let counts = events.withLock { $0 }
            #expect(counts == counts.sorted() && counts.last == Self.size)
        }
    }

    @Test func anObjectCostsTwoRoundTrips() async throws {
        try await time.run {
            let summary = try await run(unit())
            #expect(summary.receipts == 7)
            #expect(summary.roundTrips == 6 + 2 * 8 + 3)
        }
    }

    @Test func aSmallBufferPoolSlowsPacingAndStillGetsThrough() async throws {
        try await time.run {
            let unit = unit(.init(buffers: 10))
            let notices = Mutex<[TransferNotice]>([])
            _ = try await run(unit) { event in
                if case .notice(let notice) = event { notices.withLock { $0.append(notice) } }
            }
            expectProved(unit)
            #expect(notices.withLock { $0 }.contains { if case .pacingSlowed = $0 { true } else { false } })
        }
    }

    @Test func droppedAndChangedPacketsAreRepaired() async throws {
        try await time.run {
            let unit = unit(.init(dropped: [1, 30, 70], changed: [5, 50]))
            let summary = try await run(unit)
            expectProved(unit)
            #expect(summary.losses >= 4)
        }
    }

    @Test func packetsThatAlwaysVanishFail() async throws {
        try await time.run {
            let unit = unit(.init(dropped: Set(1..<10_000)))
            await #expect(throws: DFUError.transfer(.objectLost(.data, offset: 0, attempts: 8))) { try await run(unit) }
            #expect(unit.kept.withLock { $0.aborts } == 1, "a bootloader without buffers has to restart")
        }
    }

    /// A restart costs the progress that was not saved: only lost buffers are worth it.
    @Test(arguments: [
        ModelBootloader.Faults(linkDiesAt: 60), .init(mutedAnswers: Set(0..<100)), .init(executeResult: [0x0B, 5]),
        .init(garbage: [1, 2, 3]), .init()
    ])
    func nothingElseRestartsTheUnit(faults: ModelBootloader.Faults) async throws {
        try await time.run {
            let unit = unit(faults)
            _ = try? await run(unit)
            #expect(unit.kept.withLock { $0.aborts } == 0)
        }
    }

    @Test func aLinkThatDiesAnywhereIsContinued() async throws {
        try await time.run {
            for packet in 0..<124 {
                let unit = unit(.init(linkDiesAt: packet))
                await #expect(throws: DFUError.self) { try await run(unit) }
                unit.faults.withLock { $0.linkDiesAt = nil }
                let creates = unit.kept.withLock { $0.creates }
                _ = try await run(unit)
                expectProved(unit)
                #expect(unit.kept.withLock { $0.creates } <= 10, "objects were created again (\(creates) before)")
            }
        }
    }

    /// Each makes it four times as often, until that is after every object: an erase, its packets and two round trips take longer.
    @Test func lostLinksMakeTheUnitSaveMoreOften() {
        let intervals = (0...4).map { DFUSession.saveInterval(after: $0) }
        #expect(zip(intervals, intervals.dropFirst()).allSatisfy { $0 == $1 * 4 })
        #expect(intervals[4] < .milliseconds(150))
        #expect([5, 1000].allSatisfy { DFUSession.saveInterval(after: $0) == intervals[4] })
        #expect(DFUSession.saveInterval(after: -1) == intervals[0])
    }

    @Test func aPowerCutKeepsTheInitPacket() async throws {
        try await time.run {
            let unit = unit(.init(linkDiesAt: 60))
            await #expect(throws: DFUError.self) { try await run(unit) }
            unit.cutPower()
            unit.faults.withLock { $0.linkDiesAt = nil }
            let summary = try await run(unit)
            expectProved(unit)
            #expect(summary.packets == 7 * 17 + 6, "the init packet was not sent again")
        }
    }

    @Test func anyOneMissingAnswerIsSurvived() async throws {
        try await time.run {
            for answer in 0..<22 {
                let unit = unit(.init(mutedAnswers: [answer]))
                _ = try await run(unit)
                expectProved(unit)
            }
        }
    }

    @Test func aSilentUnitFailsInBoundedTime() async throws {
        try await time.run {
            let unit = unit(.init(mutedAnswers: Set(0..<100)))
            await #expect(throws: DFUError.transfer(.noAnswer(.setReceiptInterval))) { try await run(unit) }
            #expect(time.clock.now.offset <= .seconds(20))
        }
    }

    @Test func refusalsAndGarbageFail() async throws {
        try await time.run {
            await #expect(throws: DFUError.refused(.execute, .extended(.firmwareVersionTooLow))) {
                try await run(unit(.init(executeResult: [0x0B, 5])))
            }
            await #expect(throws: DFUError.transfer(.malformedAnswer(bytes: [1, 2, 3]))) {
                try await run(unit(.init(garbage: [1, 2, 3])))
            }
        }
    }

    @Test func foreignAnswersInBulkAreIgnored() async throws {
        try await time.run {
            let unit = unit(.init(strayAnswers: 1000))
            _ = try await run(unit)
            expectProved(unit)
        }
    }

    @Test func foreignAnswersDoNotKeepAWaitAlive() async throws {
        try await time.run {
            let unit = unit(.init(mutedAnswers: [1], strayAnswers: 8000))
            let link = try #require(ModelLink(to: unit))
            let reads = Mutex(Duration.zero)
            // Every look at this clock takes 10 ms, so 8000 stray answers would take 80 s.
            let clock = SessionClock(
                now: {
                    reads.withLock {
                        $0 += .milliseconds(10)
                        return $0
                    }
                },
                sleepUntil: { _ in try Task.checkCancellation() })
            await #expect(throws: DFUError.transfer(.noAnswer(.select))) {
                try await DFUSession(connection: link, clock: clock).transfer(image)
            }
            #expect(reads.withLock { $0 } < .seconds(30))
        }
    }

    @Test func aUnitThatStaysConnectedIsDone() async throws {
        try await time.run {
            let unit = unit(.init(staysConnected: true))
            let summary = try await run(unit)
            #expect(summary.isConfirmed)
            expectProved(unit)
        }
    }

    @Test func anotherImageOnTheUnitIsReplaced() async throws {
        try await time.run {
            let unit = unit(.init(linkDiesAt: 60))
            await #expect(throws: DFUError.self) { try await run(unit) }
            unit.faults.withLock { $0.linkDiesAt = nil }
            unit.kept.withLock { $0.image = Fixtures.image($0.image.count, seed: 99) }
            let summary = try await run(unit)
            expectProved(unit)
            #expect(summary.packets == 1 + 7 * 17 + 6)
        }
    }

    @Test func cancellationClosesTheChannel() async throws {
        try await time.run {
            let unit = unit(.init(mutedAnswers: [3]))
            let link = try #require(ModelLink(to: unit))
            // A clock that never reaches a deadline: only the cancellation can end the wait.
            let frozen = SessionClock(
                now: { .zero },
                sleepUntil: { _ in
                    while true {
                        try Task.checkCancellation()
                        await Task.yield()
                    }
                })
            let image = image
            await #expect(throws: CancellationError.self) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await DFUSession(connection: link, clock: frozen).transfer(image) }
                    while unit.kept.withLock({ $0.answers }) < 4 { await Task.yield() }
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
            #expect(link.openChannels.withLock { $0 } == 0)
        }
    }
}
