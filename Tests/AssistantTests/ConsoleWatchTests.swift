import Bluetooth
import Support
import Testing

@testable import Assistant
@testable import MonocleFamily

/// What a program prints, in a chat whose unit is ready.
@Suite struct ConsoleWatchTests {
    private var machine = ChatMachine(
        relay: MonocleRelay(), conversation: Conversation(), readyTimeout: .seconds(4), newConfirmation: { ConfirmationID("id") })

    init() {
        for input in [ChatMachine.Input.linkUp(payloadSize: 253, UnitStatus()), .packet(Array("rdy:".utf8))] {
            _ = machine.handle(input, now: at(0))
        }
    }

    private func at(_ seconds: Int) -> SessionClock.Instant { .init(offset: .seconds(seconds)) }

    private mutating func handle(_ input: ChatMachine.Input, at seconds: Int) -> [String] {
        machine.handle(input, now: at(seconds)).compactMap { if case .report(let event) = $0 { ChatBench.brief(event) } else { nil } }
    }

    private mutating func events(_ text: String, at seconds: Int = 0) -> [String] { handle(.console(Array(text.utf8)), at: seconds) }

    @Test mutating func linesAndExceptionsAreTold() {
        #expect(events("one\r\ntw") == ["console(\"one\")"])
        #expect(events("o\u{1B}[2J\r\n") == ["console(\"two\u{FFFD}[2J\")"])
        let told = events("Traceback (most recent call last):\r\n  File \"main.py\", line 1, in <module>\r\nValueError: no\r\n")
        #expect(told.count == 4 && told.last?.contains("ValueError: no") == true)
        #expect(machine.limit.nextDeadline == nil)
        #expect(events("MicroPython v1.20; x\r\nType \"help()\" for more information.\r\n>>> ") == ["programEnded"])
    }

    @Test mutating func aProgramThatPrintsForEverIsCounted() {
        var told = 0
        for _ in 0..<1000 { told += events("line\r\n").count }
        #expect(told == ReportLimit.lines)
        #expect(machine.limit.nextDeadline == at(10))
        #expect(handle(.tick, at: 9).isEmpty)
        #expect(handle(.tick, at: 10) == ["consoleLeftOut(lines: 900)"])
        #expect(machine.limit.nextDeadline == nil)
        // What comes later counts anew.
        #expect(events("line\r\n", at: 60) == ["console(\"line\")"])
    }

    /// A unit whose program ends and begins without a pause.
    @Test mutating func aProgramThatEndsForEverIsBounded() {
        let end = "MicroPython v1.20; x\r\nType \"help()\" for more information.\r\n>>> "
        var told: [String] = []
        for second in 0..<30 { for _ in 0..<100 { told += events(end, at: second) } }
        #expect(told.count == 3 * ReportLimit.ends && Set(told) == ["programEnded"])
    }

    @Test mutating func aProgramThatRaisesForEverIsBounded() {
        let traceback = "Traceback (most recent call last):\r\n  File \"main.py\", line 1, in <module>\r\nValueError: no\r\n"
        var told: [String] = []
        for second in 0..<30 { for _ in 0..<100 { told += events(traceback, at: second) } }
        #expect(told.count { $0.hasPrefix("raised") } == 3 * ReportLimit.exceptions)
        #expect(told.count { $0.hasPrefix("console(") } == 3 * ReportLimit.lines)
    }
}
