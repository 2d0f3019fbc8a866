import Support
import Testing

@testable import noafw

/// What a scanner types, and what becomes of it.
@Suite struct ScannerTests {
    private func lines(_ pieces: [UInt8]...) -> [ScannerInput.Line] {
        var input = ScannerInput()
        return pieces.flatMap { input.feed($0) }
    }

    @Test(arguments: [
        ("SN1\r", ["SN1"]), ("SN1\n", ["SN1"]), ("SN1\r\n", ["SN1"]), ("SN1\t", ["SN1"]), ("SN1\t\r\n", ["SN1"]),
        ("SN1\r\nSN2\r\n", ["SN1", "SN2"]),
        ("\r", [""]), ("\r\r", ["", ""]), (" SN 1 \r", ["SN 1"]), ("01\u{1D}21A\r", ["0121A"]), ("a\u{0}b\u{7F}\u{7}c\r", ["abc"]),
        ("\u{1B}[ASN\u{1B}OP1\u{1B}[200~2\r", ["SN12"]), ("e\u{301}\r", ["\u{E9}"]), ("a\u{202E}b\u{85}\r", ["ab"]), ("SN", []),
    ])
    func endsAndControlCharactersGo(typed: String, expected: [String]) {
        #expect(lines(Array(typed.utf8)) == expected.map { .text($0) })
        // However the bytes come.
        var input = ScannerInput()
        #expect(typed.utf8.flatMap { input.feed([$0]) } == expected.map { .text($0) })
    }

    @Test func whatIsNoSerialIsToldAsSuch() {
        #expect(lines([0xFF, 0xFE, 0x0D]) == [.notText])
        #expect(lines([UInt8](repeating: 0x41, count: ScannerInput.limit + 1), [0x0D], [0x42, 0x0D]) == [.tooLong, .text("B")])
    }

    private func prompt(_ pattern: String? = nil) throws -> SerialPrompt {
        var options = LineOptions()
        (options.serialPattern, options.watch) = (pattern, true)
        return SerialPrompt(pattern: try options.pattern)
    }

    @Test func enterAloneConfirmsNothing() throws {
        var prompt = try prompt()
        #expect(prompt.take(.text("")) == .refused(.empty) && prompt.state == .asking)
        #expect(prompt.take(.text("SN1")) == .accepted("SN1"))
        #expect(prompt.take(.text("")) == .refused(.empty) && prompt.state == .held("SN1"))
    }

    @Test func aPatternHasToMatchTheWholeNumber() throws {
        var prompt = try prompt("SN[0-9]{4}|X")
        #expect(prompt.take(.text("SN12345")) == .refused(.otherForm("SN12345")))
        #expect(prompt.take(.text("aX")) == .refused(.otherForm("aX")))
        #expect(prompt.take(.text("X")) == .accepted("X"))
    }

    @Test func aScanWhileAUnitRunsIsNotKept() throws {
        var prompt = try prompt()
        _ = prompt.take(.text("SN1"))
        prompt.begin()
        #expect(prompt.take(.text("SN2")) == .refused(.busy) && prompt.state == .busy("SN1"))
        prompt.end(passed: true)
        #expect(prompt.state == .asking)
    }

    @Test func theNumberOfAUnitThatPassedIsNotTheNextOnes() throws {
        var prompt = try prompt()
        for (passed, answer) in [(true, SerialPrompt.Answer.refused(.previous("SN1"))), (false, .accepted("SN1"))] {
            prompt = try self.prompt()
            _ = prompt.take(.text("SN1"))
            prompt.begin()
            prompt.end(passed: passed)
            #expect(prompt.take(.text("SN1")) == answer, "a unit that failed comes back with its number")
        }
    }

    @Test func theLastScanBeforeTheUnitCounts() throws {
        var prompt = try prompt()
        _ = prompt.take(.text("SN1"))
        #expect(prompt.take(.text("SN2")) == .accepted("SN2") && prompt.state == .held("SN2"))
        prompt.drop()
        #expect(prompt.state == .asking)
        #expect(prompt.take(.tooLong) == .refused(.tooLong) && prompt.take(.notText) == .refused(.notText))
        #expect(prompt.take(.text(String(repeating: "9", count: 201))) == .refused(.tooLong))
    }
}
