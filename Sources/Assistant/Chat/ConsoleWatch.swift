import Bluetooth
import REPL
import Support

/// What the unit's program prints while it runs, as events of a chat: whatever it prints, a bounded number of them.
struct ConsoleWatch {
    /// Lines, exceptions and ends told in one span of time; the lines beyond are counted.
    static let span = Duration.seconds(10)
    static let lineLimit = 100
    static let exceptionLimit = 5
    static let endLimit = 5

    private var reader = ConsoleReader()
    private var spanEnd: SessionClock.Instant?
    private var lineCount = 0
    private var exceptionCount = 0
    private var endCount = 0
    private var leftOutCount = 0

    /// When ``advance(now:)`` has something to tell.
    var nextDeadline: SessionClock.Instant? { leftOutCount > 0 ? spanEnd : nil }

    /// What comes belongs to no line that was begun.
    mutating func beginAnew() { reader = ConsoleReader() }

    mutating func receive(_ bytes: [UInt8], now: SessionClock.Instant) -> [ChatEvent] {
        take(reader.receive(bytes).map(ProgramOutput.init), now: now)
    }

    mutating func take(_ outputs: [ProgramOutput], now: SessionClock.Instant) -> [ChatEvent] {
        var events = advance(now: now)
        for output in outputs {
            if spanEnd == nil { spanEnd = now.advanced(by: Self.span) }
            switch output {
            case .line(""): break
            case .line(let line):
                lineCount += 1
                if lineCount <= Self.lineLimit { events.append(.console(line)) } else { leftOutCount += 1 }
            case .raised(let fault):
                exceptionCount += 1
                if exceptionCount <= Self.exceptionLimit { events.append(.raised(fault)) }
            case .ended:
                endCount += 1
                if endCount <= Self.endLimit { events.append(.programEnded) }
            }
        }
        return events
    }

    mutating func advance(now: SessionClock.Instant) -> [ChatEvent] {
        guard let end = spanEnd, end <= now else { return [] }
        defer { (spanEnd, lineCount, exceptionCount, endCount, leftOutCount) = (nil, 0, 0, 0, 0) }
        return leftOutCount > 0 ? [.consoleLeftOut(lines: leftOutCount)] : []
    }
}
