import Bluetooth
import Foundation
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

@testable import REPL

/// The session against real Lua behind a played prompt.
@Suite(.enabled(if: TestTools.mayRunLua, "Lua is missing")) struct LuaSessionTests {
    private func play<Value: Sendable>(
        payloadSize: Int = 244, isNewlyBonded: Bool = false, runsProgram: Bool = false, main: String? = nil,
        writeFault: @escaping LuaPrompt.Fault = { $1 }, notificationFault: @escaping LuaPrompt.Fault = { $1 },
        _ body: @escaping @Sendable (LuaPrompt, SessionClock) async throws -> Value
    ) async throws -> Value {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        if let main { try Data(main.utf8).write(to: folder.url.appendingPathComponent("main.lua")) }
        let unit = try LuaPrompt(
            folder: folder.url, payloadSize: payloadSize, isNewlyBonded: isNewlyBonded, runsProgram: runsProgram, writeFault: writeFault,
            notificationFault: notificationFault)
        let time = VirtualTime.simulated()
        return try await time.run { try await body(unit, time.clock) }
    }

    private static func attach(_ unit: LuaPrompt, _ clock: SessionClock) async throws -> LuaREPL {
        try await LuaREPL.attach(to: unit, clock: clock, within: .seconds(20))
    }

    @Test(arguments: [97, 120, 244]) func commandsHaveOneAnswerEach(payloadSize: Int) async throws {
        try await play(payloadSize: payloadSize) { unit, clock in
            let repl = try await Self.attach(unit, clock)
            #expect(try await repl.runText("return 6*7", within: .seconds(3)) == "42")
            #expect(try await repl.run(try LuaCode("x='\\0\\1 \\255'"), within: .seconds(3)) == [])
            #expect(try await repl.run(try LuaCode("return x"), within: .seconds(3)) == [0, 1, 0x20, 255])
            let long = String(repeating: "y", count: 900)
            #expect(try await repl.runText("return ('y'):rep(\(long.count))", within: .seconds(3)) == long)
            #expect(try await repl.runText("return #'\(long)'", within: .seconds(3)) == "900")
            #expect(unit.state.withLock { $0.writes.allSatisfy { $0.count <= payloadSize && !$0.contains(0) } })
        }
    }

    @Test func errorsAreTypedAndLeaveTheSessionInStep() async throws {
        try await play { unit, clock in
            let repl = try await Self.attach(unit, clock)
            await #expect(throws: REPLError.lua(LuaException("noafw:1: bad".utf8))) {
                try await repl.runText("error('bad')", within: .seconds(3))
            }
            // The print goes first, as it would drown the error otherwise; the answer carries it.
            await #expect(throws: REPLError.lua(LuaException("noafw:1: late".utf8))) {
                try await repl.runText("print('first') error('late')", within: .seconds(3))
            }
            #expect(try await repl.runText("return 1", within: .seconds(3)) == "1")
            #expect(try await repl.next(before: clock.deadline(in: .seconds(1))) == .text(Array("first".utf8)))
            // Nobody sends code that does not parse.
            await #expect(throws: REPLError.damaged) { try await repl.runText("return return", within: .seconds(3)) }
            try await repl.recover(within: .seconds(10))
            #expect(try await repl.runText("return 2", within: .seconds(3)) == "2")
        }
    }

    /// Writes and notifications that never come: nothing runs twice.
    @Test(arguments: 0..<12) func whatIsLostIsAskedForAgain(seed: UInt64) async throws {
        let lossy: LuaPrompt.Fault = { number, bytes in
            var numbers = SeededNumbers(seed: seed &* 1000 &+ UInt64(number))
            return bytes.first == 3 || Int.random(in: 0..<5, using: &numbers) > 0 ? bytes : nil
        }
        try await play(writeFault: lossy, notificationFault: lossy) { unit, clock in
            let repl = try await LuaREPL.attach(to: unit, clock: clock, within: .seconds(120))
            try await repl.run(try LuaCode("n=0"), within: .seconds(60))
            for count in 1...30 {
                #expect(try await repl.runText("n=n+1 return n", within: .seconds(60)) == "\(count)")
            }
        }
    }

    @Test func aProgramIsInterrupted() async throws {
        try await play(runsProgram: true) { unit, clock in
            unit.state.withLock { $0.swallowedBreaks = 3 }
            let repl = try await Self.attach(unit, clock)
            #expect(try await repl.runText("return 1", within: .seconds(3)) == "1")
            #expect(unit.state.withLock { $0.writes.count { $0 == [3] } } == 4)
        }
    }

    @Test func aProgramThatDoesNotStopIsSaidSo() async throws {
        try await play(runsProgram: true) { unit, clock in
            unit.state.withLock { $0.swallowedBreaks = 100 }
            await #expect(throws: REPLError.programDoesNotStop) { try await Self.attach(unit, clock) }
            #expect(unit.state.withLock { $0.writes.count { $0 == [3] } } == 5)
        }
    }

    @Test func codeThatDoesNotReturnIsOnePacket() async throws {
        try await play(payloadSize: 97) { unit, clock in
            let repl = try await Self.attach(unit, clock)
            try await repl.post(try LuaCode(String(repeating: " ", count: 97)), within: .seconds(1))
            #expect(unit.state.withLock { $0.writes.last } == Array(repeating: 0x20, count: 97))
            try await repl.recover(within: .seconds(10))
            await #expect(throws: LinkError.valueTooLong(count: 98, limit: 97)) {
                try await repl.post(try LuaCode(String(repeating: " ", count: 98)), within: .seconds(1))
            }
        }
    }

    @Test func anInterruptEndsWhatRuns() async throws {
        try await play { unit, clock in
            let repl = try await Self.attach(unit, clock)
            unit.state.withLock { $0.runs = true }
            try await repl.interrupt(within: .seconds(1))
            #expect(unit.state.withLock { !$0.runs && $0.writes.last == [3] })
        }
    }

    /// Answers and files depend on them.
    @Test func aProgramThatReplacedFunctionsIsInTheWay() async throws {
        try await play { unit, clock in
            let repl = try await Self.attach(unit, clock)
            try await repl.run(try LuaCode("math.floor=math.ceil"), within: .seconds(3))
            await #expect(throws: REPLError.programInTheWay("its functions behave differently from Lua's")) {
                try await repl.recover(within: .seconds(10))
            }
        }
    }

    /// Streamed code says when it ends, after a break too; its key alone says nothing.
    @Test(arguments: [("!", true), (".", true), ("o", false), ("", false)])
    func theEndOfBrokenCodeProvesThePrompt(rest: String, isEnd: Bool) async throws {
        try await play { unit, clock in
            let repl = try await Self.attach(unit, clock)
            let key = Array("\u{2}abcdef".utf8)
            let proven = repl.state.withLock { $0.machine }
            let machine = try #require(proven)
            try repl.leavePrompt()
            repl.state.withLock { $0.streamed = LuaREPL.Streamed(key: key, machine: machine, begun: clock.now) }
            unit.say([1] + key + Array(rest.utf8))
            #expect(try await repl.leaveStream(before: clock.deadline(in: .seconds(3))) == isEnd)
            #expect(repl.state.withLock { $0.isInStep } == isEnd)
        }
    }

    /// Silence around the break, and a second after a first pairing.
    @Test func pausesAreKept() async throws {
        try await play(isNewlyBonded: true) { unit, clock in
            let start = clock.now
            let repl = try await Self.attach(unit, clock)
            #expect(start.duration(to: clock.now) >= .milliseconds(1400))
            let begun = clock.now
            try await repl.recover(within: .seconds(10))
            #expect(begun.duration(to: clock.now) >= .milliseconds(400))
        }
    }

    @Test func aSmallPayloadIsRefused() async throws {
        try await play(payloadSize: 96) { unit, clock in
            await #expect(throws: REPLError.payloadTooSmall(96, least: 97)) { try await Self.attach(unit, clock) }
            #expect(unit.state.withLock { $0.writes.isEmpty })
        }
    }

    /// It prints what answers begin with, for ever.
    @Test func aFloodThatLooksLikeAnswersEndsInTime() async throws {
        try await play { unit, clock in
            let repl = try await Self.attach(unit, clock)
            let texts = unit.state.withLock { $0.writes }.map { String(decoding: $0, as: UTF8.self) }
            let key = String(try #require(texts.lazy.compactMap { $0.firstMatch(of: /print\("([0-9a-f]{16}) 0"\)/) }.first).1)
            unit.state.withLock { $0.runs = true }
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    while true {
                        for _ in 0..<20 { unit.say(Array("\(key) 9 1 2 +5 00000000".utf8)) }
                        guard (try? await clock.sleep(until: clock.deadline(in: .milliseconds(10)))) != nil else { return }
                    }
                }
                let start = clock.now
                await #expect(throws: REPLError.timedOut("an answer of the unit's Lua")) {
                    try await repl.runText("return 1", within: .seconds(3))
                }
                #expect(start.duration(to: clock.now) <= .milliseconds(3100))
                group.cancelAll()
            }
            await #expect(throws: REPLError.outOfStep) { try await repl.runText("return 1", within: .seconds(3)) }
            try await repl.recover(within: .seconds(20))
            #expect(try await repl.runText("return 1", within: .seconds(3)) == "1")
        }
    }

    @Test func whatAProgramSaysWhileThePromptIsFoundIsKept() async throws {
        try await play { unit, clock in
            let repl = try await Self.attach(unit, clock)
            unit.say([1] + Array("late".utf8))
            try await repl.recover(within: .seconds(10))
            #expect(try await repl.next(before: clock.deadline(in: .seconds(1))) == .message(Array("late".utf8)))
        }
    }

    @Test func aFloodOfNotificationsIsBounded() async throws {
        try await play { unit, clock in
            let repl = try await Self.attach(unit, clock)
            for number in 0..<1000 { unit.say(Array("line \(number)".utf8)) }
            #expect(try await repl.runText("return 1", within: .seconds(3)) == "1")
            let unread = repl.state.withLock(\.unread)
            #expect(unread.count == 256 && unread.last == .text(Array("line 999".utf8)))
        }
    }

    /// The helper goes with the Lua state; the session says so and is put right.
    @Test func aRestartBehindItsBackIsNoticed() async throws {
        try await play { unit, clock in
            let repl = try await Self.attach(unit, clock)
            try await unit.send([4], deadline: clock.deadline(in: .seconds(1)))
            await #expect(throws: REPLError.garbage("an answer: its Lua was restarted")) {
                try await repl.runText("return 1", within: .seconds(3))
            }
            try await repl.recover(within: .seconds(20))
            #expect(try await repl.runText("return 1", within: .seconds(3)) == "1")
        }
    }

    // MARK: - The program

    @Test func aProgramThatTellsItsVersionIsHeard() async throws {
        try await play(main: "V=\"1.2\"\n-- tells \\x18") { unit, clock in
            let repl = try await Self.attach(unit, clock)
            #expect(try await repl.startProgram(within: .seconds(3)) == "1.2")
            #expect(unit.state.withLock { $0.writes.last } == [4])
            await #expect(throws: REPLError.outOfStep) { try await repl.runText("return 1", within: .seconds(3)) }
        }
    }

    /// A lost one, or one that the next command replaced, would be as silent as the restart of a program that says nothing.
    @Test func aRestartIsAcknowledged() async throws {
        try await play(main: "V=\"1.2\"\n-- tells \\x18", writeFault: { _, bytes in bytes == [4] ? nil : bytes }) { unit, clock in
            let repl = try await Self.attach(unit, clock)
            #expect(try await repl.startProgram(within: .seconds(3)) == "1.2")
            #expect(unit.state.withLock { $0.starts == 1 && $0.writes.count { $0 == [4] } == 1 })
        }
    }

    /// An idle prompt looks for commands every 10 ms.
    @Test func nothingFollowsARestartAtOnce() async throws {
        try await play(main: "V=1") { unit, clock in
            let repl = try await Self.attach(unit, clock)
            let start = clock.now
            try await repl.reset(within: .seconds(3))
            #expect(start.duration(to: clock.now) >= .milliseconds(100))
        }
    }

    @Test func aRestartWhoseTimeIsOverIsNotBegun() async throws {
        try await play(main: "V=1") { unit, clock in
            let repl = try await Self.attach(unit, clock)
            await #expect(throws: REPLError.timedOut("the restart of the unit's Lua")) { try await repl.reset(within: .zero) }
            #expect(unit.state.withLock { $0.starts == 0 && !$0.writes.contains([4]) })
        }
    }

    @Test func aLinkThatBreaksAtTheRestartIsNoSilentProgram() async throws {
        try await play { unit, clock in
            let repl = try await Self.attach(unit, clock)
            unit.cut()
            await #expect(throws: LinkError.disconnected("the unit has gone")) { try await repl.reset(within: .seconds(3)) }
        }
    }

    @Test func aProgramThatDoesNotTellIsAskedOnce() async throws {
        try await play(main: "V=\"1.2\"\n-- \\x18") { unit, clock in
            let repl = try await Self.attach(unit, clock)
            let start = clock.now
            #expect(try await repl.startProgram(within: .seconds(3)) == "1.2")
            #expect(start.duration(to: clock.now) >= .seconds(3))
            #expect(unit.state.withLock { $0.writes.count { $0 == [4] } == 1 && $0.writes.last == [1, 0x17] })
        }
    }

    /// As many as four of five questions in a row may be lost.
    @Test func aLostQuestionIsAskedAgain() async throws {
        let asked = Mutex(0)
        try await play(main: "V=\"1.2\"\n-- \\x18", writeFault: { _, bytes in
            guard bytes == [1, 0x17] else { return bytes }
            return asked.withLock { asked in
                asked += 1
                return asked < 5 ? nil : bytes
            }
        }) { unit, clock in
            let repl = try await Self.attach(unit, clock)
            #expect(try await repl.startProgram(within: .seconds(3)) == "1.2")
            #expect(asked.withLock { $0 } == 5)
        }
    }

    @Test(arguments: [nil, "x\nerror('bad')"]) func aProgramThatFailsIsAnError(main: String?) async throws {
        try await play(main: main) { unit, clock in
            let repl = try await Self.attach(unit, clock)
            await #expect(throws: REPLError.self) { try await repl.startProgram(within: .seconds(3)) }
        }
    }

    @Test func aCancelledTakeOverStartsTheProgramAgain() async throws {
        try await play(runsProgram: true, main: "x = 1") { unit, clock in
            let task = Task(executorPreference: globalConcurrentExecutor) { try await Self.attach(unit, .continuous) }
            while unit.state.withLock({ $0.writes.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(unit.state.withLock { $0.runs && $0.starts == 1 })
        }
    }
}
