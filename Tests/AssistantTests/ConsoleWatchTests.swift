import Bluetooth
import Support
import Testing

@testable import Assistant

@Suite struct ConsoleWatchTests {
    private var watch = ConsoleWatch()

    private func at(_ seconds: Int) -> SessionClock.Instant { .init(offset: .seconds(seconds)) }

    private mutating func events(_ text: String, at seconds: Int = 0) -> [String] {
        watch.receive(Array(text.utf8), now: at(seconds)).map(ChatBench.brief)
    }

    @Test mutating func linesAndExceptionsAreTold() {
        #expect(events("one\r\ntw") == ["console(\"one\")"])
        #expect(events("o\u{1B}[2J\r\n") == ["console(\"two\u{FFFD}[2J\")"])
        let told = events("Traceback (most recent call last):\r\n  File \"main.py\", line 1, in <module>\r\nValueError: no\r\n")
        #expect(told.count == 4 && told.last?.contains("ValueError: no") == true)
        #expect(watch.nextDeadline == nil)
        #expect(events("MicroPython v1.20; x\r\nType \"help()\" for more information.\r\n>>> ") == ["programEnded"])
    }

    @Test mutating func aProgramThatPrintsForEverIsCounted() {
        var told = 0
        for _ in 0..<1000 { told += events("line\r\n").count }
        #expect(told == ConsoleWatch.lineLimit)
        #expect(watch.nextDeadline == at(10))
        #expect(watch.advance(now: at(9)).isEmpty)
        #expect(watch.advance(now: at(10)).map(ChatBench.brief) == ["consoleLeftOut(lines: 900)"])
        #expect(watch.nextDeadline == nil)
        // What comes later counts anew.
        #expect(events("line\r\n", at: 60) == ["console(\"line\")"])
    }

    /// A unit whose program ends and begins without a pause.
    @Test mutating func aProgramThatEndsForEverIsBounded() {
        let end = "MicroPython v1.20; x\r\nType \"help()\" for more information.\r\n>>> "
        var told: [String] = []
        for second in 0..<30 { for _ in 0..<100 { told += events(end, at: second) } }
        #expect(told.count == 3 * ConsoleWatch.endLimit && Set(told) == ["programEnded"])
    }

    @Test mutating func aProgramThatRaisesForEverIsBounded() {
        let traceback = "Traceback (most recent call last):\r\n  File \"main.py\", line 1, in <module>\r\nValueError: no\r\n"
        var told: [String] = []
        for second in 0..<30 { for _ in 0..<100 { told += events(traceback, at: second) } }
        #expect(told.count { $0.hasPrefix("raised") } == 3 * ConsoleWatch.exceptionLimit)
        #expect(told.count { $0.hasPrefix("console(") } == 3 * ConsoleWatch.lineLimit)
    }
}
