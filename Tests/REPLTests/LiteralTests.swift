import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import REPL

@Suite struct LiteralTests {
    @Test(arguments: [
        ([], "b''"), ([0x61, 0x27], #"b"a'""#), ([0x27, 0x22], #"b'\'"'"#), ([0], #"b'\0'"#), ([0, 0x31], #"b'\0001'"#),
        ([0, 0x38], #"b'\08'"#), ([5, 0x37], #"b'\0057'"#), ([0x1C], #"b'\34'"#), ([0x1C, 0x30], #"b'\0340'"#),
        ([0x0A, 0x0D, 0x5C], #"b'\n\r\\'"#),
    ] as [([UInt8], String)])
    func shortestEscapeWins(value: [UInt8], source: String) {
        #expect(String(decoding: PythonLiteral.bytes(value), as: UTF8.self) == source)
    }

    @Test func aLongListNamesEight() {
        let names = (1...10).map(String.init)
        #expect(Diagnosis.list(Array(names.prefix(8))) == "1, 2, 3, 4, 5, 6, 7, 8")
        #expect(Diagnosis.list(Array(names.prefix(9))) == "1, 2, 3, 4, 5, 6, 7, 8 and 1 more")
        #expect(Diagnosis.list(names) == "1, 2, 3, 4, 5, 6, 7, 8 and 2 more")
    }

    @Test func costIsNeverBelowTheSource() {
        var generator = SeededNumbers(seed: 11)
        for _ in 0..<2000 {
            let value = generator.bytes(count: Int.random(in: 0...60, using: &generator))
            let cost = value.indices.reduce(3) {
                $0 + PythonLiteral.cost(of: value[$1], before: $1 + 1 < value.count ? value[$1 + 1] : nil)
            }
            #expect(PythonLiteral.bytes(value).count <= cost)
        }
    }

    @Test func noLiteralHoldsAForbiddenByte() throws {
        var generator = SeededNumbers(seed: 12)
        for _ in 0..<2000 {
            let source = PythonLiteral.bytes(generator.bytes(count: 80))
            #expect(!source.contains { $0 <= 5 || $0 == 0x0A || $0 == 0x0D || $0 == 0x1C })
        }
    }

    @Test func emptyCodeIsNoSoftReset() throws { #expect(try PythonCode("").bytes == [0x0A]) }

    @Test func codeWithAForbiddenByteIsRefused() {
        for byte: UInt8 in [0, 1, 2, 3, 4, 5, 0x1C] {
            #expect(throws: REPLError.forbiddenByte(byte, offset: 2)) { try PythonCode(bytes: [0x61, 0x61, byte]) }
        }
    }

    /// Real MicroPython reads each literal through the raw REPL and says which bytes it found.
    @Test(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
    func literalsAreExactInMicroPython() async throws {
        let host = try MicroPythonHost(folder: makeUnitFolder())
        defer { host.endAndRemove() }
        let repl = try await PythonREPL.attach(to: host, clock: .continuous, within: .seconds(20))
        var generator = SeededNumbers(seed: 13)
        var values = (0..<200).map { _ in generator.bytes(count: Int.random(in: 0...200, using: &generator)) }
        values += (0...255).map { [UInt8($0), 0x30, UInt8($0)] }
        values.append(Array(0...255))
        let commands = try values.map { value in
            try PythonCode(
                bytes: Array("x=".utf8) + PythonLiteral.bytes(value) + Array("\nprint(('%02x'*len(x))%tuple(x))".utf8))
        }
        var answers: [String] = []
        try await repl.pipeline(commands, within: .seconds(20)) { _, answer in
            answers.append(PrintableText.of(answer))
        }
        #expect(answers == values.map { HexText.encode($0) })
        #expect(host.droppedByteCount == 0)
    }

    @Test(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
    func textIsExactInMicroPython() async throws {
        let host = try MicroPythonHost(folder: makeUnitFolder())
        defer { host.endAndRemove() }
        let repl = try await PythonREPL.attach(to: host, clock: .continuous, within: .seconds(20))
        for text in ["", "naïve — ☕️", "a\u{0}1\u{1C}7'\"\\", "\r\n\t", "🕶️\u{3}"] {
            let code = Array("x=".utf8) + PythonLiteral.string(text)
                + Array(".encode()\nprint(('%02x'*len(x))%tuple(x))".utf8)
            let answer = try await repl.run(PythonCode(bytes: code), within: .seconds(20))
            #expect(PrintableText.of(answer) == HexText.encode(Array(text.utf8)))
        }
    }
}
