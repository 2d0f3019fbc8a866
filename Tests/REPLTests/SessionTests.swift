import Bluetooth
import Foundation
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

@testable import REPL

@Suite struct SessionTests {
    private let time = VirtualTime.simulated()

    private func attach(_ unit: FakeUnit) async throws -> PythonREPL {
        try await PythonREPL.attach(to: unit, clock: unit.clock, within: .seconds(10))
    }

    @Test func attachesThroughStaleOutputAndADeafUnit() async throws {
        try await time.run {
            for seed in 1...40 {
                let unit = FakeUnit(time, seed: UInt64(seed)) {
                    $0.mode = seed % 2 == 0 ? .program : .friendly
                    $0.deafPackets = seed % 3
                }
                unit.say("OKold\u{4}\u{4}>raw REPL; CTRL-B to exit\r\n>")
                let repl = try await attach(unit)
                #expect(try await repl.runText("hello", within: .seconds(1)) == "HELLO")
            }
        }
    }

    /// A ^C that interrupts leaves what lay in the ring 1024 bytes before: it may restart Python, or hide the ^A behind it.
    @Test(arguments: [[0x78, 0x79, 0x7A], [0x04, 0x78], [0x78, 0x04, 0x04], [0x01, 0x04], [0x02, 0x20], [0x05, 0x01], [0x0D, 0x04]])
    func staleBytesOfTheRingDoNoLastingHarm(stale: [UInt8]) async throws {
        try await time.run {
            for mode in [FakeUnit.Mode.program, .friendly, .raw] {
                let unit = FakeUnit(time) {
                    $0.mode = mode
                    if mode == .raw { $0.running = Array("hang".utf8) }
                    $0.memory.replaceSubrange(0..<stale.count, with: stale)
                }
                let repl = try await attach(unit)
                #expect(try await repl.runText("hello", within: .seconds(1)) == "HELLO")
                #expect(unit.state.withLock { $0.restarts } <= stale.count { $0 == 0x04 })
            }
        }
    }

    /// The unit sends answers when it has nothing left to run, and loses 1024 bytes of a longer heap of them after its boot.
    @Test func answersInFlightAreLimited() async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            let codes = try (0..<40).map { try PythonCode("\($0)") }
            for limit in [1, 3, 16] {
                unit.state.withLock { $0.highestInFlight = 0 }
                var count = 0
                try await repl.pipeline(codes, atOnce: limit, within: .seconds(1)) { _, _ in count += 1 }
                #expect(count == 40)
                #expect((1...limit).contains(unit.state.withLock { $0.highestInFlight }))
            }
        }
    }

    @Test func callbacksAreTakenOffBeforeARestart() async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            try await repl.start(within: .seconds(2))
            #expect(unit.state.withLock { $0.executed.last }?.contains("bluetooth.receive_callback(None)") == true)
        }
    }

    /// Of what a program prints not a byte is lost to whoever listens after its start, wherever packets are cut.
    @Test(arguments: 1...20) func theFirstWordsOfAProgramAreKept(seed: UInt64) async throws {
        try await time.run {
            let unit = FakeUnit(time, seed: seed)
            let repl = try await attach(unit)
            try await repl.start(within: .seconds(2))
            var printed = repl.takePrinted()
            while let more = try await repl.nextOutput(before: repl.clock.deadline(in: .seconds(1))) { printed += more }
            #expect(String(decoding: printed, as: UTF8.self) == "main runs\r\n")
            #expect(repl.takePrinted() == [])
        }
    }

    @Test func atTheFriendlyPromptKeysGoAsTheyAre() async throws {
        try await time.run {
            let unit = FakeUnit(time, payloadSize: 20)
            let repl = try await attach(unit)
            try repl.begin()
            try await repl.type([Control.leaveRaw], within: .seconds(1))
            _ = try await repl.nextOutput(before: repl.clock.deadline(in: .seconds(1)))
            #expect(unit.state.withLock { $0.mode } == .friendly)
            unit.state.withLock { $0.packets = [] }
            let before = unit.clock.now
            try await repl.type(Array(repeating: 0x61, count: 50), within: .seconds(1))
            #expect(unit.state.withLock { $0.packets.map(\.count) } == [20, 20, 10])
            #expect(before.duration(to: unit.clock.now) >= .milliseconds(60))
            await #expect(throws: REPLError.outOfStep) { try await repl.runText("x", within: .seconds(1)) }
            try await repl.type([0x03], within: .seconds(1))
            try await repl.recover(within: .seconds(2))
            #expect(try await repl.runText("hello", within: .seconds(1)) == "HELLO")
        }
    }

    @Test func aSilentUnitHasNoPrompt() async throws {
        try await time.run {
            let unit = FakeUnit(time) { $0.isDead = true }
            await #expect(throws: REPLError.noPrompt) { _ = try await attach(unit) }
            #expect(unit.clock.now.offset >= .seconds(10))
            #expect(unit.state.withLock { $0.packets.count } > 10)
        }
    }

    /// What a unit is at is not interrupted if it ends soon; then the prompt is asked for without delay.
    @Test func whatEndsSoonIsNotInterrupted() async throws {
        try await time.run {
            let unit = FakeUnit(time) {
                $0.mode = .raw
                $0.running = Array("store".utf8)
            }
            let start = unit.clock.now
            _ = try await attach(unit)
            #expect(unit.state.withLock { $0.executed.first } == "store")
            #expect(start.duration(to: unit.clock.now) < .milliseconds(400))
        }
    }

    @Test func anExceptionKeepsTheSessionInStep() async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            await #expect {
                _ = try await repl.run(PythonCode("raise X"), within: .seconds(1))
            } throws: { error in
                guard case REPLError.exception(let exception) = error else { return false }
                return exception.lastLine == "ValueError: raise X"
            }
            #expect(try await repl.runText("next", within: .seconds(1)) == "NEXT")
        }
    }

    /// Commands of all sizes: the answers are in order, the ring never overflows and is well used.
    @Test(arguments: [20, 100, 253]) func pipelineNeverOverrunsTheRing(payloadSize: Int) async throws {
        try await time.run {
            var generator = SeededNumbers(seed: UInt64(payloadSize))
            for _ in 0..<20 {
                let unit = FakeUnit(time, payloadSize: payloadSize, seed: generator.next())
                let repl = try await attach(unit)
                let codes = try (0..<60).map { number in
                    let length = Int.random(in: 0...480, using: &generator)
                    return try PythonCode("\(number) " + String(repeating: "x", count: length))
                }
                var answers: [Int] = []
                try await repl.pipeline(codes, within: .seconds(1)) { index, answer in
                    #expect(answer == Array(String(decoding: codes[index].bytes, as: UTF8.self).uppercased().utf8))
                    answers.append(index)
                }
                #expect(answers == Array(0..<60))
                #expect(unit.state.withLock { $0.dropped } == 0)
                #expect(unit.state.withLock { $0.highestRing } > 600)
            }
        }
    }

    @Test func longCodeGoesThroughTheRing() async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            let code = try PythonCode(String(repeating: "a", count: 9000))
            #expect(try await repl.run(code, within: .seconds(1)).count == 9000)
            var count = 0
            try await repl.pipeline([try PythonCode("x"), code, try PythonCode("y"), code], within: .seconds(1)) { _, _ in
                count += 1
            }
            #expect(count == 4 && unit.state.withLock { $0.dropped } == 0)
        }
    }

    @Test func anErrorInAPipelineStopsWhatWasNotBegun() async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            let filler = String(repeating: "f", count: 400)
            let codes = try (0..<30).map { try PythonCode($0 == 4 ? "raise \(filler)" : "\($0) \(filler)") }
            var answered: [Int] = []
            await #expect(throws: REPLError.self) {
                try await repl.pipeline(codes, within: .seconds(1)) { index, _ in answered.append(index) }
            }
            #expect(answered == [0, 1, 2, 3])
            #expect(unit.state.withLock { $0.executed.count } < 11)
            #expect(try await repl.runText("after", within: .seconds(1)) == "AFTER")
        }
    }

    @Test func aLostNotificationIsATimeoutAndRecoverable() async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            unit.state.withLock { $0.lostNotifications = Set($0.notificationCount..<($0.notificationCount + 2)) }
            await #expect(throws: (any Error).self) { _ = try await repl.run(PythonCode("lost"), within: .seconds(2)) }
            await #expect(throws: REPLError.outOfStep) { _ = try await repl.run(PythonCode("x"), within: .seconds(2)) }
            try await repl.recover(within: .seconds(5))
            #expect(try await repl.runText("back", within: .seconds(1)) == "BACK")
        }
    }

    @Test func codeThatHangsTimesOutAndIsInterrupted() async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            await #expect(throws: REPLError.timedOut("an answer of the unit's Python")) {
                _ = try await repl.run(PythonCode("hang"), within: .seconds(3))
            }
            try await repl.recover(within: .seconds(5))
            #expect(try await repl.runText("back", within: .seconds(1)) == "BACK")
        }
    }

    @Test func piecesNeedAProvenPrompt() async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            try await repl.interrupt(within: .seconds(1))
            await #expect(throws: REPLError.outOfStep) {
                _ = try await repl.feed(PythonCode("x"), [[1]], patience: .seconds(1), within: .seconds(1)) { _ in }
            }
        }
    }

    /// What raised may have lost them, as by a restart of Python.
    @Test(arguments: [("0", 1), ("raise X", 2)]) func afterAFeedThatRaisedHelpersAreAskedFor(code: String, questions: Int) async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            try await RemoteHelper.ground.ensure(on: repl, within: .seconds(1))
            _ = try? await repl.feed(PythonCode(code), [[UInt8]](), patience: .seconds(1), within: .seconds(1)) { _ in }
            try await RemoteHelper.ground.ensure(on: repl, within: .seconds(1))
            #expect(unit.state.withLock { $0.executed.count { $0.contains("print('helper'") } } == questions)
        }
    }

    @Test func startLeavesTheProgramRunning() async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            #expect(try await repl.start(within: .seconds(2)))
            #expect(unit.state.withLock { $0.mode } == .program)
            await #expect(throws: REPLError.outOfStep) { _ = try await repl.run(PythonCode("x"), within: .seconds(2)) }
            try await repl.recover(within: .seconds(5))
            try await repl.softReset(within: .seconds(5))
            #expect(try await repl.runText("again", within: .seconds(1)) == "AGAIN")
        }
    }

    /// A soft reset does not clear them, and one that the new program's packets call would be called in freed memory.
    @Test func aSoftResetRemovesCallbacks() async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            try await repl.softReset(within: .seconds(5))
            #expect(unit.state.withLock { $0.executed.contains(PythonREPL.disarm) })
        }
    }

    /// However the code before them is cut: a last key that is lost alone would leave the unit at its prompt, which looks like a start.
    @Test(arguments: 20...64) func theKeysThatStartAProgramShareAPacket(payloadSize: Int) async throws {
        try await time.run {
            let unit = FakeUnit(time, payloadSize: payloadSize)
            let repl = try await attach(unit)
            unit.state.withLock { $0.packets = [] }
            try await repl.start(within: .seconds(2))
            #expect(unit.state.withLock { $0.packets.last } == [Control.execute, Control.leaveRaw, Control.execute])
        }
    }

    /// At a prompt that comes again and again Python did not restart, however much stands before it. Behind one alone a program may run:
    /// it gets no second ^D.
    @Test(arguments: [(1, 0), (1000, 0), (1000, 9000)]) func aPromptIsNoStart(prompts: Int, printed: Int) async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            let clock = time.clock
            unit.state.withLock { $0.isDead = true }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 0..<prompts {
                        try await clock.sleep(until: clock.deadline(in: .milliseconds(10)))
                        unit.say(String(repeating: "x", count: printed) + ">>> ")
                    }
                }
                let hasStarted = try await repl.start(within: .seconds(1))
                #expect(!hasStarted)
                let last: [[UInt8]] = prompts == 1 ? [[Control.enter], [0]] : [[Control.enter], [Control.execute]]
                #expect(unit.state.withLock { $0.packets.suffix(2) } == last[...])
                group.cancelAll()
            }
        }
    }

    /// On the way out there is time for two starts.
    @Test func aProgramIsPutBackThoughItsFirstStartIsLost() async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let clock = time.clock
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    while true {
                        _ = unit.tick()
                        try await clock.sleep(until: clock.deadline(in: .milliseconds(1)))
                    }
                }
                let repl = try await PythonREPL.attach(to: unit, clock: clock, within: .seconds(10))
                unit.state.withLock { $0.lostPacket = [Control.execute, Control.leaveRaw, Control.execute] }
                await repl.putBack()
                #expect(unit.state.withLock { $0.lostPacket == nil && $0.mode == .program })
                group.cancelAll()
            }
        }
    }

    /// Otherwise nobody else could write to the unit over this link.
    @Test func aVisitClosesItsChannelHoweverItEnds() async throws {
        try await time.run {
            struct Refused: Error {}
            let unit = FakeUnit(time)
            let clock = unit.clock
            _ = try await PythonREPL.visit(unit, clock: clock, within: .seconds(10)) { repl in
                try await repl.runText("hello", within: .seconds(1))
            }
            #expect(unit.state.withLock { $0.closedChannels } == 1)
            await #expect(throws: Refused.self) {
                try await PythonREPL.visit(unit, clock: clock, within: .seconds(10), leavesProgram: true) { repl in
                    _ = try await repl.runText("hello", within: .seconds(1))
                    throw Refused()
                }
            }
            #expect(unit.state.withLock { $0.closedChannels } == 2)
        }
    }

    @Test func sendReturnsWhenTheUnitHasTakenTheCode() async throws {
        try await time.run {
            let unit = FakeUnit(time)
            let repl = try await attach(unit)
            try await repl.send(PythonCode("hang"), within: .seconds(1))
            #expect(unit.state.withLock { $0.running } == Array("hang".utf8))
        }
    }
}

/// Against real MicroPython.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests")) struct MicroPythonSessionTests {
    @Test func runsAndTellsWhatWasRaised() async throws {
        let host = try MicroPythonHost(folder: makeUnitFolder())
        defer { host.endAndRemove() }
        let repl = try await PythonREPL.attach(to: host, clock: .continuous, within: .seconds(20))
        #expect(try await repl.runText("print(6*7)", within: .seconds(20)) == "42")
        let long = "x=0\n" + String(repeating: "x+=1\n", count: 800) + "print(x)"
        #expect(try await repl.runText(long, within: .seconds(20)) == "800")
        await #expect {
            _ = try await repl.runText("import nothing", within: .seconds(20))
        } throws: { error in
            guard case REPLError.exception(let exception) = error else { return false }
            return exception.lastLine.hasPrefix("ImportError")
        }
        await #expect(throws: REPLError.self) { _ = try await repl.runText("1/", within: .seconds(20)) }
        #expect(try await repl.runText("print(x)", within: .seconds(20)) == "800")
    }

    @Test func anEndlessProgramIsInterrupted() async throws {
        let host = try MicroPythonHost(folder: makeUnitFolder())
        defer { host.endAndRemove() }
        let repl = try await PythonREPL.attach(to: host, clock: .continuous, within: .seconds(20))
        try await repl.send(PythonCode("while True: pass"), within: .seconds(20))
        try await repl.recover(within: .seconds(20))
        #expect(try await repl.runText("print('back')", within: .seconds(20)) == "back")
    }

    /// On a machine under load it says OK long before it listens to an interrupt: that one is lost, and must not be the only one.
    @Test func aProgramThatBeginsLateIsInterrupted() async throws {
        let late = Mutex<MicroPythonHost?>(nil)
        let host = try MicroPythonHost(folder: makeUnitFolder(), heap: "64M", notificationFault: { _, bytes in
            if bytes.starts(with: Array("OK".utf8)) { late.withLock { $0 }?.stall(milliseconds: 1000) }
            return bytes
        })
        defer { host.endAndRemove() }
        let repl = try await PythonREPL.attach(to: host, clock: .continuous, within: .seconds(20))
        late.withLock { $0 = host }
        // To compile it takes longer than the stall takes to come.
        let code = String(repeating: "x=1\n", count: 60_000) + "while True: pass"
        try await repl.send(PythonCode(code), within: .seconds(20))
        late.withLock { $0 = nil }
        try await repl.recover(within: .seconds(20))
        #expect(try await repl.runText("print('back')", within: .seconds(20)) == "back")
    }
}
