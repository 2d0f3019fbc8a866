import Foundation
import Support
import Synchronization
import TestSupport
import Testing

@testable import REPL

/// The unit is asked for a helper once, and a restart that nobody was told of is noticed all the same.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests")) struct HelperSessionTests {
    private static let helper = RemoteHelper(
        "_nt", pieces: ["class _nt(_nr):\n n=0\n def up(s):\n  s.n+=1\n  s.say(str(s.n))\n def bad(s):\n  raise OSError(5)"])
    private static let limit = Duration.seconds(20)

    private final class Wire: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        func note(_ packet: [UInt8]) { bytes.withLock { $0 += packet } }

        var questions: Int { String(decoding: bytes.withLock { $0 }, as: UTF8.self).ranges(of: "print('helper'").count }
    }

    private func withSession(_ body: (HelperSession, PythonREPL, Wire) async throws -> Void) async throws {
        let wire = Wire()
        let host = try MicroPythonHost(
            folder: makeUnitFolder(),
            packetFault: { _, bytes in
                wire.note(bytes)
                return bytes
            })
        defer { host.endAndRemove() }
        let repl = try await PythonREPL.attach(to: host, clock: .continuous, within: Self.limit)
        try await body(HelperSession(of: Self.helper, on: repl, answerTimeout: Self.limit, lastingExceptions: ["OSError"]), repl, wire)
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
}
