import Foundation
import Support
import Synchronization
import TestSupport
import Testing

@testable import REPL

/// The unit is asked for a helper once, and a restart that nobody was told of is noticed all the same.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests")) struct HelperSessionTests {
    private static let helper = RemoteHelper(
        "_nt",
        pieces: [
            """
            class _nt(_nr):
             n=0
             def up(s):
              s.n+=1
              s.say(str(s.n))
             def to(s,n):
              s.n=n
             def bad(s):
              raise OSError(5)
            """,
        ])
    private static let limit = Duration.seconds(20)

    private final class Wire: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        func note(_ packet: [UInt8]) { bytes.withLock { $0 += packet } }

        func count(_ text: String) -> Int { String(decoding: bytes.withLock { $0 }, as: UTF8.self).ranges(of: text).count }

        var questions: Int { count("print('helper'") }
    }

    /// - Parameter damage: of the first packet with the text.
    private func withSession(
        lasting: [String] = ["OSError"], damage: (text: String, into: String)? = nil,
        _ body: (HelperSession, PythonREPL, Wire) async throws -> Void
    ) async throws {
        let wire = Wire()
        let isDue = Mutex(true)
        let host = try MicroPythonHost(
            folder: makeUnitFolder(),
            packetFault: { _, bytes in
                wire.note(bytes)
                guard let damage, let found = bytes.firstRange(of: damage.text.utf8),
                    isDue.withLock({ isDue in
                        defer { isDue = false }
                        return isDue
                    })
                else { return bytes }
                return Array(bytes[..<found.lowerBound] + damage.into.utf8 + bytes[found.upperBound...])
            })
        defer { host.endAndRemove() }
        let repl = try await PythonREPL.attach(to: host, clock: .continuous, within: Self.limit)
        try await body(HelperSession(of: Self.helper, on: repl, answerTimeout: Self.limit, lastingExceptions: lasting), repl, wire)
    }

    @Test func aHelperIsAskedForOnce() async throws {
        try await withSession { session, repl, wire in
            for _ in 0..<3 { try await session.ensure() }
            #expect(wire.questions == 1)
            #expect(try await session.perform("up()") == "1")
            try await RemoteHelper.ground.ensure(on: repl, within: Self.limit)
            #expect(wire.questions == 1, "what it is built on is there, too")
            try await RemoteHelper.ground.ensure(on: repl, within: Self.limit, asksAnew: true)
            #expect(wire.questions == 2)
        }
    }

    @Test func afterARecoveryItIsAskedForAgain() async throws {
        try await withSession { session, repl, wire in
            try await session.ensure()
            try await repl.recover(within: Self.limit)
            try await session.ensure()
            #expect(wire.questions == 2)
            #expect(try await session.perform("up()") == "1")
        }
    }

    @Test func aHelperThatIsGoneIsBroughtAgain() async throws {
        try await withSession { session, repl, wire in
            #expect(try await session.using { try await session.perform("up()") } == "1")
            _ = try await repl.runText("del _nt,_nr", within: Self.limit)
            #expect(try await session.using { try await session.perform("up()") } == "1")
            #expect(wire.questions == 2)
        }
    }

    @Test func aStepIsRepeatedOnceUnlessItsErrorLasts() async throws {
        try await withSession { session, repl, wire in
            var notices: [String] = []
            try await session.ensure()
            await #expect(throws: REPLError.self) { try await session.retrying({ notices.append($0) }) { try await session.tell("bad()") } }
            #expect(notices.isEmpty)
            _ = try await repl.runText("del _nt,_nr", within: Self.limit)
            #expect(try await session.retrying({ notices.append($0) }) { try await session.perform("up()") } == "1")
            #expect(notices == ["an answer was lost; asking again"])
        }
    }

    @Test func aDamagedAnswerIsAskedForThreeTimesInAll() async throws {
        try await withSession { session, _, _ in
            var count = 0
            await #expect(throws: REPLError.unreadable("x")) {
                try await session.insisting {
                    count += 1
                    throw REPLError.unreadable("x")
                }
            }
            #expect(count == 3)
        }
    }

    @Test func questionsAreAskedOnce() async throws {
        try await withSession { session, _, wire in
            try await session.ensure()
            #expect(try await session.ask(["up()", "up()"], after: "to(5)", atOnce: 2) == ["6", "7"])
            #expect(wire.count("_nt.up(") == 2)
        }
    }

    /// What is called before questions may not have run: they are not asked without it.
    @Test func aCallThatWasDamagedEndsTheStep() async throws {
        try await withSession(damage: ("_nt.up(", "\u{1}nt.up(")) { session, _, _ in
            try await session.ensure()
            await #expect(throws: REPLError.self) { _ = try await session.ask(["up()"], after: "up()", atOnce: 2) }
        }
    }

    /// A mark does not show that a byte of the code was changed on the way: what the code then raises does.
    @Test(arguments: [["OSError"], ["NameError"]])
    func aDamagedHelperIsBroughtAgain(lasting: [String]) async throws {
        try await withSession(lasting: lasting, damage: ("digest", "digesp")) { session, repl, wire in
            try await session.ensure()
            if lasting == ["NameError"] {
                await #expect(throws: REPLError.self) { try await session.retrying({ _ in }) { try await session.perform("up()") } }
                try await session.ensure()
            }
            #expect(try await session.retrying({ _ in }) { try await session.perform("up()") } == "1")
        }
    }

    /// Whoever interrupts the unit and runs the same once more does not find the damaged one.
    @Test func aDamagedHelperIsNotFoundAgain() async throws {
        try await withSession(damage: ("digest", "digesp")) { session, repl, _ in
            await #expect(throws: REPLError.self) { try await session.using { try await session.perform("up()") } }
            try await repl.recover(within: Self.limit)
            #expect(try await session.using { try await session.perform("up()") } == "1")
        }
    }

    private static let long = RemoteHelper(
        "_nl", pieces: ["class _nl(_nr):\n def one(s):\n  s.say('1')"], more: ["class _nl(_nl):\n def two(s):\n  s.say('2')"])

    @Test func theBeginningOfAHelperComesFirst() async throws {
        try await withSession { _, repl, wire in
            let beginning = HelperSession(of: Self.long.beginning, on: repl, answerTimeout: Self.limit)
            let whole = HelperSession(of: Self.long, on: repl, answerTimeout: Self.limit)
            #expect(try await beginning.using { try await beginning.perform("one()") } == "1")
            #expect(wire.count("class _nl") == 1 && wire.questions == 1)
            #expect(try await whole.using { try await whole.perform("two()") } == "2")
            #expect(try await beginning.using { try await beginning.perform("one()") } == "1")
            #expect(wire.count("class _nl") == 2 && wire.questions == 1)
            // A new session finds what is there.
            try await repl.recover(within: Self.limit)
            #expect(try await beginning.using { try await whole.perform("two()") } == "2")
            #expect(wire.count("class _nl") == 2 && wire.questions == 2)
        }
    }

    /// What was remembered has gone in a restart of which nobody was told.
    @Test(arguments: ["del _nl,_nr", "del _nl"])
    func aBeginningThatIsGoneIsBroughtAgain(removal: String) async throws {
        try await withSession { _, repl, wire in
            try await HelperSession(of: Self.long.beginning, on: repl, answerTimeout: Self.limit).ensure()
            _ = try await repl.runText(removal, within: Self.limit)
            let whole = HelperSession(of: Self.long, on: repl, answerTimeout: Self.limit)
            #expect(try await whole.using { try await whole.perform("two()") } == "2")
            #expect(wire.questions == 2)
        }
    }

    @Test func aBaseThatIsGoneIsBroughtAgain() async throws {
        try await withSession { session, repl, wire in
            try await session.ensure()
            _ = try await repl.runText("del _nt,_nr", within: Self.limit)
            let other = HelperSession(of: Self.long, on: repl, answerTimeout: Self.limit)
            #expect(try await other.using { try await other.perform("one()") } == "1")
            #expect(wire.questions == 2, "where the base was not found, nothing else was there: only its loss has to be asked about")
        }
    }
}
