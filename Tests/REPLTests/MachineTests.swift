import Support
import TestSupport
import Testing

@testable import REPL

private func text(_ string: String) -> [UInt8] { Array(string.utf8) }

@Suite struct RawREPLMachineTests {
    /// An answer to one piece of code, cut into pieces of one length.
    private static func events(_ answer: [UInt8], inPiecesOf size: Int = .max) throws -> [RawREPLMachine.Event] {
        var machine = RawREPLMachine(inFlight: 1)
        defer { #expect(machine.inFlight == 0) }
        return try stride(from: 0, to: answer.count, by: size).flatMap { try machine.receive(Array(answer[$0...].prefix(size))) }
    }

    private static func printed(_ events: [RawREPLMachine.Event]) -> [UInt8] {
        events.flatMap { if case .printed(let bytes) = $0 { bytes } else { [UInt8]() } }
    }

    @Test func oneAnswerEventByEvent() throws {
        var machine = RawREPLMachine(inFlight: 1)
        #expect(try machine.receive(text("O")).isEmpty)
        #expect(try machine.receive(text("K")) == [.accepted])
        #expect(try machine.receive(text("hi\u{4}")) == [.printed(text("hi"))])
        #expect(try machine.receive(text("\u{4}")).isEmpty)
        #expect(machine.inFlight == 1)
        #expect(try machine.receive(text(">")) == [.answered([])])
        #expect(machine.inFlight == 0)
    }

    @Test(arguments: 1...9) func piecesOfAnySizeSayTheSame(size: Int) throws {
        let events = try Self.events(text("late output\r\nOKone\r\nOK two\u{4}Traceback\r\nValueError: x\u{4}>more"), inPiecesOf: size)
        #expect(events.first == .accepted && Self.printed(events) == text("one\r\nOK two"))
        #expect(events.last == .answered(text("Traceback\r\nValueError: x")))
    }

    @Test func codeThatPrintsNothingEnds() throws {
        #expect(try Self.events(text("OK\u{4}\u{4}>")) == [.accepted, .answered([])])
    }

    @Test func outputOfCallbacksBetweenAnswersIsIgnored() throws {
        var machine = RawREPLMachine()
        #expect(try machine.receive(text("OK noise\u{4}")).isEmpty)
        machine.inFlight += 1
        #expect(try machine.receive(text("noise OKx\u{4}\u{4}>")) == [.accepted, .printed(text("x")), .answered([])])
    }

    @Test func aBannerInsteadOfAnAnswerIsARestart() {
        var machine = RawREPLMachine(inFlight: 1)
        #expect(throws: REPLError.self) { try machine.receive(text("raw REPL; CTRL-B to exit\r\n>")) }
    }

    /// A wrong bit in what encloses output and traceback is seen when the answer has ended, not by waiting for the rest of it.
    @Test(arguments: ["OK\u{4}\u{4}>", "OKout\u{4}\u{4}>", "OKout\u{4}Traceback\u{4}>"]) func aDamagedFrameIsGarbage(answer: String) {
        let bytes = text(answer)
        let frame = [0, 1] + bytes.indices.filter { bytes[$0] == 4 } + [bytes.count - 1]
        for (place, bit) in frame.flatMap({ place in (0..<8).map { (place, $0) } }) {
            var damaged = bytes
            damaged[place] ^= 1 << bit
            // Without this end the traceback may go on.
            if place == bytes.count - 2, answer.contains("Traceback") { continue }
            var machine = RawREPLMachine(inFlight: 1)
            #expect(throws: REPLError.self, "byte \(place), bit \(bit)") { try machine.receive(damaged) }
        }
    }

    @Test func aDamagedFrameIsNotTheNextAnswers() throws {
        var machine = RawREPLMachine(inFlight: 2)
        #expect(throws: REPLError.garbage("a whole answer")) { try machine.receive(text("NKa\u{4}\u{4}>OKb\u{4}\u{4}>")) }
    }

    @Test func outputIsBounded() throws {
        var machine = RawREPLMachine(outputLimit: 10, inFlight: 2)
        _ = try machine.receive(text("OK1234567890\u{4}\u{4}>OK123456789"))
        _ = try machine.receive(text("0"))
        #expect(throws: REPLError.outputOverflow(limit: 10)) { try machine.receive(text("1")) }
    }

    @Test func aTracebackIsBounded() throws {
        let events = try Self.events(text("OK\u{4}") + [UInt8](repeating: 0x61, count: 100_000) + text("\u{4}>"), inPiecesOf: 5000)
        #expect(events == [.accepted, .answered([UInt8](repeating: 0x61, count: 65_536))])
    }

    /// Answers of any content, cut anywhere, with noise in front: always the same.
    @Test func fragmentationDoesNotMatter() throws {
        var generator = SeededNumbers(seed: 31)
        for _ in 0..<3000 {
            let answers = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                let traceback = generator.bytes(count: Int.random(in: 0...9, using: &generator)).filter { $0 != 4 }
                return (
                    output: generator.bytes(count: Int.random(in: 0...40, using: &generator)).filter { $0 != 4 },
                    traceback: traceback.isEmpty ? [] : text("Tr") + traceback
                )
            }
            var stream: [UInt8] = []
            for answer in answers {
                stream += generator.bytes(count: Int.random(in: 0...5, using: &generator)).filter { $0 != UInt8(ascii: "O") && $0 != 4 }
                stream += text("OK") + answer.output + [4] + answer.traceback + text("\u{4}>")
            }
            var machine = RawREPLMachine(inFlight: answers.count)
            let events = try generator.fragments(of: stream).flatMap { try machine.receive($0) }
            #expect(Self.printed(events) == answers.flatMap(\.output))
            let ends = events.compactMap { if case .answered(let traceback) = $0 { traceback } else { nil } }
            #expect(ends == answers.map(\.traceback) && events.count { $0 == .accepted } == answers.count)
            #expect(machine.inFlight == 0)
        }
    }

    @Test func garbageNeverTraps() {
        var generator = SeededNumbers(seed: 32)
        let alphabet = text("OK>\u{4}raw REPL; CTRL-B to exit\r\n>R\u{1}\u{0}x")
        for _ in 0..<3000 {
            let stream = (0..<60).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
            var machine = RawREPLMachine(inFlight: 1)
            _ = try? machine.receive(stream)
            var entry = RawREPLEntry()
            _ = entry.poll()
            for piece in generator.fragments(of: stream) { #expect(entry.receive(piece) { "nonce" } != .proven) }
        }
    }
}

@Suite struct RawREPLEntryTests {
    @Test func onlyTheWordProvesThePrompt() {
        var entry = RawREPLEntry()
        #expect(entry.poll() == [3, 1])
        #expect(entry.receive(text("OKword\u{4}\u{4}>")) { "word" } == nil)
        #expect(entry.receive(text("raw REPL; CTRL-B to exit\r\n")) { "word" } == nil)
        #expect(entry.receive(text(">")) { "word" } == .send(text(RawREPLEntry.proof("word") + "\u{4}")))
        #expect(entry.receive(text("raw REPL; CTRL-B to exit\r\n>OKwo")) { "other" } == nil)
        #expect(entry.receive(text("rd\u{4}\u{4}")) { "other" } == nil)
        #expect(entry.receive(text(">")) { "other" } == .proven)
    }

    @Test func aPromptFollowedByMoreIsOld() {
        var entry = RawREPLEntry()
        _ = entry.poll()
        #expect(entry.receive(text("raw REPL; CTRL-B to exit\r\n>OK")) { "word" } == nil)
    }

    /// Behind an interrupted program a stale byte may stand before ^A.
    @Test func theFriendlyPromptIsAskedAgainSoonOnce() {
        var entry = RawREPLEntry()
        _ = entry.poll()
        #expect(entry.receive(text("Traceback (most recent call last):\r\nKeyboardInterrupt:\r\n>>")) { "word" } == nil)
        #expect(entry.receive(text("> x")) { "word" } == .wait)
        #expect(entry.receive(text("\r\n>>> ")) { "word" } == nil)
        _ = entry.poll()
        #expect(entry.receive(text("\r\n>>> ")) { "word" } == nil)
        #expect(entry.receive(text("\r\nraw REPL; CTRL-B to exit\r\n>")) { "word" } == .send(text(RawREPLEntry.proof("word") + "\u{4}")))
        #expect(entry.receive(text("OKword\u{4}\u{4}>")) { "word" } == .proven)
    }

    @Test func pollingAgainNeedsANewWord() {
        var entry = RawREPLEntry()
        _ = entry.poll()
        _ = entry.receive(text("raw REPL; CTRL-B to exit\r\n>")) { "one" }
        _ = entry.poll()
        #expect(entry.receive(text("OKone\u{4}\u{4}>raw REPL; CTRL-B to exit\r\n>")) { "two" } != nil)
        #expect(entry.receive(text("OKone\u{4}\u{4}>")) { "x" } == nil)
        #expect(entry.receive(text("OKtwo\u{4}\u{4}>")) { "x" } == .proven)
    }
}

@Suite struct CommandPipelineTests {
    @Test func theRingLimitsWhatIsAhead() throws {
        var pipe = CommandPipeline()
        for _ in 0..<4 { pipe.enqueue(try PythonCode(String(repeating: "a", count: 489))) }
        var sent = 0
        while case let packet = pipe.nextPacket(atMost: 250), !packet.isEmpty { sent += packet.count }
        #expect(sent == 1000 && pipe.inFlight == 3)
        pipe.didAccept()
        #expect(pipe.nextPacket(atMost: 250).count == 250)
        // 240 more would fit; a small packet would cost the unit an event while it has work.
        #expect(pipe.nextPacket(atMost: 250).isEmpty)
        #expect(pipe.nextPacket(atMost: 240).count == 240)
        pipe.didAnswer()
        #expect(!pipe.isEmpty)
    }

    /// The unit has all of the first piece and works on it, though its OK has not come yet.
    @Test func aPieceThatIsSentWholeIsNoReasonForASmallPacket() throws {
        var pipe = CommandPipeline()
        pipe.enqueue(try PythonCode(String(repeating: "a", count: 899)))
        pipe.enqueue(try PythonCode(String(repeating: "b", count: 489)))
        #expect(pipe.nextPacket(atMost: 900).count == 900)
        #expect(pipe.nextPacket(atMost: 250).isEmpty)
        #expect(pipe.nextPacket(atMost: 100).count == 100)
    }

    @Test func whatTheUnitReadsMayBeOfAnyLength() throws {
        var pipe = CommandPipeline()
        pipe.enqueue(try PythonCode(String(repeating: "a", count: 4999)))
        pipe.enqueue(try PythonCode(String(repeating: "b", count: 4999)))
        var sent = 0
        while case let packet = pipe.nextPacket(atMost: 253), !packet.isEmpty { sent += packet.count }
        #expect(sent == 5000)
        pipe.didAccept()
        while case let packet = pipe.nextPacket(atMost: 250), !packet.isEmpty { sent += packet.count }
        #expect(sent == 6000)
    }

    @Test func unstartedPiecesCanBeForgotten() throws {
        var pipe = CommandPipeline()
        for _ in 0..<5 { pipe.enqueue(try PythonCode("abc")) }
        #expect(pipe.nextPacket(atMost: 6) == text("abc\u{4}ab"))
        pipe.dropUnstarted()
        #expect(pipe.unsent.count == 2)
        #expect(pipe.nextPacket(atMost: 6) == text("c\u{4}"))
        for _ in 0..<2 {
            pipe.didAccept()
            pipe.didAnswer()
        }
        #expect(pipe.isEmpty)
    }
}

extension CommandPipelineTests {
    /// What a unit answers without being asked opens no room for a piece that it does not read.
    @Test func anAnswerToNothingIsNotCounted() throws {
        var pipe = CommandPipeline()
        pipe.didAccept()
        pipe.didAnswer()
        #expect(pipe.isEmpty)
        pipe.enqueue(try PythonCode("a"))
        #expect(pipe.nextPacket(atMost: 9) == text("a\u{4}"))
        pipe.didAccept()
        #expect(!pipe.isEmpty, "its own answer has not come")
        pipe.didAnswer()
        #expect(pipe.isEmpty)
    }
}

@Suite struct AnswerTests {
    @Test func checksumOfAnAnswer() throws {
        #expect(try CheckedAnswer.decode(text("hello 2cf24dba\r\n")) == "hello")
        #expect(try CheckedAnswer.decode(text(" e3b0c442\n")) == "")
        for bad in ["", "hello", "hello 2cf24dbb", "hallo 2cf24dba", "2cf24dba", "hello 2CF24DBA", "hello 2cf24dba0"] {
            #expect(throws: REPLError.self) { try CheckedAnswer.decode(text(bad)) }
        }
    }

    @Test func textFromAUnitIsHarmless() {
        #expect(PrintableText.of(text("a\u{1B}[2Jb\r\n")) == "a\u{FFFD}[2Jb")
        #expect(PrintableText.of([0xFF, 0x41, 0x07]) == "\u{FFFD}A\u{FFFD}")
        #expect(PrintableText.of(text("a\r\nb\n"), keepingLines: true) == "a\nb")
    }

    /// Code of ours parses, and has its names: what does not was damaged on its way.
    @Test(arguments: [
        ("SyntaxError: invalid syntax", "REPL-0008"), ("IndentationError: unexpected indent", "REPL-0008"),
        ("NameError: name '_nr' isn't defined", "REPL-0008"), ("AttributeError: '_ns' object has no attribute 'o'", "REPL-0008"),
        ("NameError: name 'x' isn't defined", "REPL-0002"), ("AttributeError: 'module' object has no attribute 'fpga'", "REPL-0002"),
        ("ValueError: SyntaxError: '_n", "REPL-0002"),
    ])
    func damagedCodeIsNotTheUnitsFault(line: String, code: String) {
        let exception = PythonException(standardError: text("Traceback (most recent call last):\r\n\(line)\r\n"))
        #expect(REPLError.exception(exception).diagnosis.code == code)
        #expect((REPLError.lacking(in: exception) != nil) == (code == "REPL-0002" && line.hasPrefix("AttributeError")))
    }

    @Test func codesAreStable() {
        let errors: [REPLError] = [
            .noPrompt, .exception(PythonException(standardError: [])), .garbage(""), .outputOverflow(limit: 1),
            .forbiddenByte(3, offset: 0), .timedOut(""), .unreadable(""), .lacking(""),
        ]
        #expect(errors.map(\.diagnosis.code) == [1, 2, 3, 4, 5, 7, 8, 9].map { "REPL-000\($0)" })
    }
}
