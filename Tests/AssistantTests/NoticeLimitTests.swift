import Support
import Testing

@testable import Assistant
@testable import MonocleFamily

@Suite struct NoticeLimitTests {
    private var machine = ChatMachine(
        relay: MonocleRelay(), conversation: Conversation(tokenLimit: 100), readyTimeout: .seconds(60),
        newConfirmation: { ConfirmationID("id") })

    private mutating func events(_ input: ChatMachine.Input, at milliseconds: Int) -> [ChatEvent] {
        machine.handle(input, now: .init(offset: .milliseconds(milliseconds))).compactMap {
            if case .report(let event) = $0 { event } else { nil }
        }
    }

    private static func isNotice(_ event: ChatEvent) -> Bool { if case .notice = event { true } else { false } }
    private static func leftOut(_ event: ChatEvent) -> Int? { if case .noticesLeftOut(let count) = event { count } else { nil } }

    /// Seen in trials: 4,256 unknown commands in 26 s.
    @Test mutating func aUnitThatTalksNonsenseForEverIsCounted() {
        _ = events(.linkUp(payloadSize: 253, UnitStatus()), at: 0)
        var told: [ChatEvent] = []
        for number in 0..<4256 { told += events(.packet(Array("xyz:1".utf8)), at: number * 6) }
        told += events(.tick, at: 36_000)
        let notices = told.count(where: Self.isNotice)
        #expect(notices == 3 * ReportLimit.notices)
        #expect(told.compactMap(Self.leftOut).count == 3)
        #expect(told.compactMap(Self.leftOut).reduce(notices, +) == 4256)
        #expect(machine.limit.nextDeadline == nil)
    }

    @Test mutating func theCountIsToldInItsTime() {
        _ = events(.linkUp(payloadSize: 253, UnitStatus()), at: 0)
        for _ in 0...ReportLimit.notices { _ = events(.packet([1]), at: 1000) }
        #expect(machine.nextDeadline == .init(offset: .seconds(11)))
        #expect(events(.tick, at: 11_000).compactMap(Self.leftOut) == [1])
        #expect(events(.packet([1]), at: 12_000).count(where: Self.isNotice) == 1)
    }
}
