import Support
import TestSupport
import Testing

@testable import REPL

@Suite struct LuaMachineTests {
    private static let key = "0123456789abcdef"

    private static func answer(_ number: Int, piece: Int = 1, of whole: String, body: String? = nil, key: String = key) -> [UInt8] {
        let text = "\(key) \(number) \(piece) \(whole.utf8.count) \(body ?? whole)"
        let check = String(CRC32.of(Array(text.utf8)), radix: 16)
        return Array((text + " " + String(repeating: "0", count: 8 - check.count) + check).utf8)
    }

    private static func writes(_ actions: [LuaMachine.Action]) -> [String] {
        actions.compactMap { if case .write(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
    }

    private func machine(payload: Int = 244) -> LuaMachine { LuaMachine(key: Self.key, payloadSize: payload) }

    @Test func aCommandIsOnePacketAndHasOneAnswer() throws {
        var machine = machine()
        #expect(Self.writes(machine.run(try LuaCode("return 5"))) == [#"_nf.r(1,_nf.x,"return 5")"#])
        #expect(machine.receive(Self.answer(1, of: "+5")) == [.answered(.success(Array("5".utf8)))])
        #expect(Self.writes(machine.run(try LuaCode("return 6"))) == [#"_nf.r(2,_nf.x,"return 6")"#])
    }

    @Test func aCallThatDoesNotFitOnePacketIsRefused() throws {
        var machine = machine(payload: 97)
        let most = 97 - LuaHelper.callOverhead - "_nf.w".utf8.count
        #expect(try Self.writes(machine.call("_nf.w", [UInt8](repeating: 49, count: most))).allSatisfy { $0.utf8.count <= 97 })
        #expect(throws: LinkError.valueTooLong(count: 98, limit: 97)) { try machine.call("_nf.w", [UInt8](repeating: 49, count: most + 1)) }
    }

    /// The same number: the unit runs it once.
    @Test func silenceSendsTheSameAgain() throws {
        var machine = machine()
        let first = machine.run(try LuaCode("f()"))
        #expect(machine.silence() == first && machine.silence() == first)
        _ = machine.receive(Self.answer(1, of: "+"))
        #expect(machine.silence() == [])
    }

    @Test func longCodeGoesInPieces() throws {
        var machine = machine(payload: 97)
        let text = String((0..<300).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) }) + "\"\n\\"
        var sent = Self.writes(machine.run(try LuaCode(text)))
        var number = 1
        while sent.last?.contains("_nf.s") == true {
            sent += Self.writes(machine.receive(Self.answer(number, of: "+")))
            number += 1
        }
        #expect(sent.allSatisfy { $0.utf8.count <= 97 })
        let literals = try sent.map { try #require($0.firstMatch(of: /,"(.*)"\)$/)).output.1 }
        #expect(literals.joined().replacing("\\\"", with: "\"").replacing("\\n", with: "\n").replacing("\\\\", with: "\\") == text)
        #expect(machine.receive(Self.answer(number, of: "+done")) == [.answered(.success(Array("done".utf8)))])
    }

    @Test func aLongAnswerComesInPieces() throws {
        var machine = machine()
        _ = machine.run(try LuaCode("x"))
        let whole = "+" + String(repeating: "a", count: 300)
        #expect(Self.writes(machine.receive(Self.answer(1, of: whole, body: String(whole.prefix(188))))) == ["_nf.p(2)"])
        // The first piece once more, and what was asked for.
        #expect(machine.receive(Self.answer(1, of: whole, body: String(whole.prefix(188)))) == [])
        #expect(Self.writes(machine.silence()) == ["_nf.p(2)"])
        let end = machine.receive(Self.answer(1, piece: 2, of: whole, body: String(whole.dropFirst(188))))
        #expect(end == [.answered(.success(Array(whole.utf8.dropFirst())))])
    }

    /// A piece with nothing in it is the end of an answer that never comes whole; asking on would never end.
    @Test func anEmptyPieceEndsAnAnswer() throws {
        var machine = machine()
        _ = machine.run(try LuaCode("x"))
        let whole = "+" + String(repeating: "a", count: 300)
        _ = machine.receive(Self.answer(1, of: whole, body: String(whole.prefix(188))))
        #expect(machine.receive(Self.answer(1, piece: 2, of: whole, body: "")) == [.answered(.failure(.cutShort))])
    }

    @Test func anErrorIsTypedAndBounded() throws {
        var machine = machine()
        _ = machine.run(try LuaCode("x"))
        let text = "noafw:1: \u{1B}[2J" + String(repeating: "x", count: 400)
        guard case .answered(.failure(.lua(let exception)))? = machine.receive(Self.answer(1, of: "-" + text)).first else {
            Issue.record("no error")
            return
        }
        #expect(exception.message.hasPrefix("noafw:1: \u{FFFD}[2Jxxx") && exception.message.utf8.count <= 302)
    }

    /// The helper's own code parses: code that does not is no refusal of the unit.
    @Test func codeThatDoesNotParseWasDamaged() throws {
        for text in ["noafw:57: syntax error near <eof>", "noafw:3: '=' expected near 'x'", "noafw:9: unfinished string near '\"'"] {
            var machine = machine()
            _ = machine.run(try LuaCode("x"))
            #expect(machine.receive(Self.answer(1, of: "-" + text)) == [.answered(.failure(.damaged))])
        }
    }

    /// A program that prints what answers begin with, old answers, and answers of another session, are nobody's answer.
    @Test func nothingElseIsAnAnswer() throws {
        var machine = machine()
        _ = machine.run(try LuaCode("x"))
        let right = Self.answer(1, of: "+5")
        var wrong = right
        wrong[wrong.count - 12] ^= 1
        let others = [
            Array("\(Self.key) ".utf8), Array("\(Self.key) 1 1 2 +5".utf8), wrong, Array(right.dropLast()), Self.answer(2, of: "+5"),
            Self.answer(1, piece: 2, of: "+5"), Self.answer(0, of: "+5"), Array(repeating: 0x20, count: 244), [],
        ]
        for other in others { #expect(machine.receive(other).allSatisfy { if case .answered = $0 { false } else { true } }) }
        let foreign = Self.answer(1, of: "+5", key: "fedcba9876543210")
        #expect(machine.receive(foreign) == [.notification(.text(foreign))])
        #expect(machine.receive(right) == [.answered(.success(Array("5".utf8)))])
    }

    @Test func messagesAndTextAreToldApart() throws {
        var machine = machine()
        #expect(machine.receive([1, 0x18, 0x30]) == [.notification(.message([0x18, 0x30]))])
        #expect(machine.receive(Array("hello".utf8)) == [.notification(.text(Array("hello".utf8)))])
        #expect(machine.receive([1]) == [.notification(.message([]))])
    }

    @Test(arguments: ["?", "", "x"]) func aCommandThatWasEndedFromOutsideSaysSo(answer: String) throws {
        var machine = machine()
        _ = machine.run(try LuaCode("x"))
        #expect(machine.receive(Self.answer(1, of: answer)) == [.answered(.failure(.cutShort))])
    }

    @Test func aLuaThatWasRestartedSaysSo() throws {
        var machine = machine()
        _ = machine.run(try LuaCode("x"))
        let text = "[string \"_nf.r(1,_nf.x,\"x\")\"]:1: attempt to index a nil value (global '_nf')"
        #expect(machine.receive(Array(text.utf8)) == [.answered(.failure(.helperGone))])
    }

    @Test func noAnswerIsWithoutBounds() throws {
        var machine = machine()
        _ = machine.run(try LuaCode("x"))
        let text = "\(Self.key) 1 1 999999999 +"
        let check = String(CRC32.of(Array(text.utf8)), radix: 16)
        let bytes = Array((text + " " + String(repeating: "0", count: 8 - check.count) + check).utf8)
        #expect(machine.receive(bytes) == [.answered(.failure(.outputOverflow(limit: LuaMachine.answerLimit)))])
    }

    @Test func forbiddenAndTooLongCodeIsRefused() {
        #expect(throws: REPLError.forbiddenByte(0, offset: 2)) { try LuaCode("ab\0") }
        #expect(throws: REPLError.codeTooLong(byteCount: 16_385, limit: 16_384)) {
            try LuaCode(bytes: Array(repeating: 0x61, count: 16_385))
        }
    }

    /// Whatever comes, the machine neither ends nor believes it.
    @Test(arguments: 0..<20) func garbageIsSurvived(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        var machine = machine()
        _ = machine.run(try LuaCode("x"))
        let right = Self.answer(1, of: "+5")
        for _ in 0..<500 {
            let bytes = numbers.mutation(of: right)
            guard bytes != right else { continue }
            #expect(machine.receive(bytes).allSatisfy { if case .answered = $0 { false } else { true } })
        }
    }
}
