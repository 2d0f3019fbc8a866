import Support
import Testing

@testable import Assistant

@Suite struct OutboxTests {
    private var outbox = Outbox()
    private let id = TurnID(number: 1)

    private func at(_ milliseconds: Int) -> SessionClock.Instant { .init(offset: .milliseconds(milliseconds)) }

    private mutating func next(_ milliseconds: Int, capacity: Int = 20) -> HostMessage? {
        outbox.next(capacity: capacity, now: at(milliseconds))
    }

    @Test mutating func theFirstWordsGoAtOnceAndTheRestWaitsForCompany() {
        _ = outbox.take(.add(.init(id, link: nil)))
        #expect(next(0) == nil)
        _ = outbox.take(.append("One", to: id))
        #expect(next(10) == .answer("One", isFirst: true, isLast: false))
        _ = outbox.take(.append(" two", to: id))
        #expect(next(20) == nil)
        #expect(outbox.textDeadline == at(310))
        _ = outbox.take(.append(" three", to: id))
        #expect(next(310) == .answer(" two three", isFirst: false, isLast: false))
        _ = outbox.take(.append(" four five six seven eight", to: id))
        #expect(next(320) == .answer(" four five six seven", isFirst: false, isLast: false))
        #expect(next(330) == nil)
        _ = outbox.take(.end(id))
        #expect(next(340) == .answer(" eight", isFirst: false, isLast: true))
        #expect(outbox.attempt.hasEnded == true)
        outbox.removeFirst()
        #expect(outbox.isEmpty)
    }

    @Test mutating func aCharacterThatMayGrowWaits() {
        _ = outbox.take(.add(.init(id, link: nil)))
        _ = outbox.take(.append("👩", to: id))
        #expect(next(0) == nil)
        #expect(outbox.textDeadline == nil)
        _ = outbox.take(.append("\u{200D}👧 ", to: id))
        #expect(next(1) == .answer("👩‍👧 ", isFirst: true, isLast: false))
    }

    @Test mutating func anEndAloneIsToldToo() {
        _ = outbox.take(.add(.init(id, link: nil)))
        _ = outbox.take(.append("All", to: id))
        #expect(next(0) == .answer("All", isFirst: true, isLast: false))
        #expect(outbox.attempt.hasEnded == false)
        _ = outbox.take(.end(id))
        #expect(next(1) == .answer("", isFirst: false, isLast: true))
        #expect(outbox.attempt.hasEnded == true)
        outbox.removeFirst()
    }

    /// However much of a whole answer is left behind a piece.
    @Test mutating func onlyThePieceBehindWhichNothingIsLeftIsTheLast() {
        _ = outbox.take(.add(.init(id, link: nil)))
        _ = outbox.take(.append("0123456789abcdefghijXYZ", to: id))
        _ = outbox.take(.end(id))
        #expect(next(0, capacity: 10) == .answer("0123456789", isFirst: true, isLast: false))
        #expect(outbox.attempt.hasEnded == false)
        #expect(next(1, capacity: 10) == .answer("abcdefghij", isFirst: false, isLast: false))
        #expect(next(2, capacity: 10) == .answer("XYZ", isFirst: false, isLast: true))
        #expect(outbox.attempt.hasEnded == true && next(3, capacity: 10) == nil)
    }

    @Test mutating func afterALossItBeginsAnew() {
        _ = outbox.take(.add(.init(id, link: 1)))
        _ = outbox.take(.append("One two", to: id))
        _ = next(0)
        _ = outbox.take(.end(id))
        outbox.rewind()
        #expect(next(1) == .answer("One two", isFirst: true, isLast: true))
    }

    @Test mutating func itIsBounded() {
        let dropped = (1...1000).map { outbox.take(.add(.init(TurnID(number: $0), .error, link: nil, text: "no", isWhole: true))) }
        #expect(outbox.count == Outbox.limit)
        // The first one is going out.
        #expect(dropped == [TurnID?](repeating: nil, count: Outbox.limit) + (2...969).map { TurnID(number: $0) })
    }
}
