import TestSupport
import Testing

@testable import REPL

/// What code prints is passed on as it comes, however it is cut.
@Suite struct OutputStreamTests {
    private static func events(_ pieces: [[UInt8]]) -> (output: [UInt8], endings: [[UInt8]]) {
        var stream = RawOutputStream()
        var (output, endings): ([UInt8], [[UInt8]]) = ([], [])
        for event in pieces.flatMap({ stream.receive($0) }) {
            switch event {
            case .output(let bytes): output += bytes
            case .ended(let traceback): endings.append(traceback)
            }
        }
        return (output, endings)
    }

    @Test(arguments: 1...9) func piecesOfAnySizeSayTheSame(size: Int) {
        let answer = Array("late output\r\nOKone\r\nOK two\u{4}Traceback\r\nValueError: x\u{4}>more".utf8)
        let pieces = stride(from: 0, to: answer.count, by: size).map { Array(answer[$0..<min($0 + size, answer.count)]) }
        let (output, endings) = Self.events(pieces)
        #expect(output == Array("one\r\nOK two".utf8))
        #expect(endings == [Array("Traceback\r\nValueError: x".utf8)])
    }

    @Test func codeThatPrintsNothingEnds() {
        let (output, endings) = Self.events([Array("OK\u{4}\u{4}>".utf8)])
        #expect(output.isEmpty && endings == [[]])
    }

    @Test func aTracebackIsBounded() {
        let (_, endings) = Self.events([Array("OK\u{4}".utf8), [UInt8](repeating: 0x61, count: 100_000), Array("\u{4}>".utf8)])
        #expect(endings.map(\.count) == [8192])
    }
}
