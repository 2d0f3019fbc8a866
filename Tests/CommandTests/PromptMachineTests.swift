import Support
import TestSupport
import Testing

@testable import noafw

/// A person at a prompt: what is typed, what that does, what stands on the screen.
private struct PromptBench {
    var machine: PromptMachine
    var screen: TerminalScreen
    var now = SessionClock.Instant(offset: .seconds(1))
    private let top: Int
    private var asked: NameCompletion?

    init(_ language: PromptLanguage = .python, columns: Int = 80, history: [String] = []) {
        machine = PromptMachine(language, history: InputHistory(lines: history), columns: columns)
        var screen = TerminalScreen(columns: columns)
        for case .write(let text) in machine.begin() { screen.write(text) }
        (self.screen, top) = (screen, screen.cursor.row)
    }

    /// - Returns: what is not drawn.
    private mutating func take(_ effects: [PromptMachine.Effect]) -> [PromptMachine.Effect] {
        effects.filter { effect in
            if case .complete(let completion) = effect { asked = completion }
            guard case .write(let text) = effect else { return true }
            screen.write(text)
            return false
        }
    }

    mutating func type(_ text: String) -> [PromptMachine.Effect] { take(machine.receive(Array(text.utf8), now: now)) }
    mutating func keys(_ text: String) -> [PromptMachine.Effect] { text.unicodeScalars.flatMap { type(String($0)) } }
    mutating func show(_ text: String) -> [PromptMachine.Effect] { take(machine.show(Array(text.utf8))) }
    mutating func show(_ bytes: [UInt8]) -> [PromptMachine.Effect] { take(machine.show(bytes)) }
    mutating func end(_ ending: PromptMachine.Ending = .over()) -> [PromptMachine.Effect] { take(machine.end(ending)) }
    mutating func complete(_ names: [String]) -> [PromptMachine.Effect] { asked.map { take(machine.complete($0, names)) } ?? [] }
    mutating func fit(_ columns: Int) { _ = take(machine.fit(columns: columns)) }

    /// Below the greeting.
    var lines: [String] { Array(screen.lines.dropFirst(top)) }
}

@Suite struct PromptMachineTests {
    static let up = "\u{1B}[A"

    private static func paste(_ text: String) -> String { "\u{1B}[200~\(text)\u{1B}[201~" }

    @Test func anInputRunsAndItsOutputStandsBelow() {
        var bench = PromptBench()
        #expect(bench.type("1+1\r") == [.remember("1+1"), .run(["1+1"])])
        #expect(bench.show("2\r") == [] && bench.show("\nthree") == [])
        #expect(bench.end() == [])
        #expect(bench.lines == [">>> 1+1", "2", "three", ">>>"])
        #expect(bench.type("\u{1B}[A\r") == [.remember("1+1"), .run(["1+1"])])
        #expect(bench.end(.over(error: "NameError: x\u{1B}[2J\nb")) == [])
        #expect(bench.lines.suffix(4) == [">>> 1+1", "NameError: x\\u{1b}[2J", "b", ">>>"])
        #expect(bench.screen.foreign == [])
    }

    @Test func aBlockEndsWithABlankLineAndIsIndented() {
        var bench = PromptBench()
        #expect(bench.keys("def f():\r").isEmpty && bench.keys("if x:\r").isEmpty && bench.keys("return 1\r").isEmpty)
        #expect(bench.keys("\u{7F}return 2\r") == [])
        #expect(bench.lines == [">>> def f():", "...     if x:", "...         return 1", "...     return 2", "..."])
        let whole = "def f():\n    if x:\n        return 1\n    return 2\n    "
        #expect(bench.keys("\r") == [.remember(whole), .run([whole + "\n"])])
    }

    @Test(arguments: [
        ("d = {\r'a': 1,\r\r'b': [2]}", "d = {\n'a': 1,\n\n'b': [2]}\n"), ("s = '''one\r\rtwo'''", "s = '''one\n\ntwo'''\n"),
        ("x = 1 + \\\r2", "x = 1 + \\\n2\n"), ("@d\rdef f(): pass\r", "@d\ndef f(): pass\n\n"),
        ("try:\r a\rexcept E:\r b\rfinally:\r c\r", "try:\n a\nexcept E:\n b\nfinally:\n c\n\n"),
    ])
    func whatIsOpenGoesOn(typed: String, runs: String) {
        var bench = PromptBench()
        // In one piece, as a terminal without brackets pastes: nothing is indented.
        let effects = bench.type(typed + "\r")
        #expect(effects.last == .run([runs]), "\(effects)")
    }

    @Test func whatIsPastedIsOneInput() {
        var bench = PromptBench()
        let text = "  x = 1\n  def f():\n    return x\n\n  f()\n"
        #expect(bench.type(Self.paste(text)) == [])
        #expect(bench.type("\r") == [.remember(text), .run(["x = 1", "def f():\n  return x\n\n", "f()"])].filter { $0 != .remember(text) })
        #expect(bench.end() == [])
        #expect(bench.type(Self.up) == [] && bench.machine.editor.text == text)
    }

    @Test func aPasteThatIsTooLongIsToldAndNotCut() {
        var bench = PromptBench(.lua)
        #expect(bench.type(Self.paste(String(repeating: "x", count: 5000))) == [])
        #expect(bench.machine.editor.text.isEmpty && bench.lines.first?.contains("at most 4096 bytes") == true)
    }

    /// Only the unit knows where a statement of Lua ends: until then it is edited, and it is one input of the history.
    @Test func aLuaStatementGoesOnWhereTheUnitSaysSo() {
        var bench = PromptBench(.lua)
        #expect(bench.keys("for i=1,2 do\r") == [.run(["for i=1,2 do"])])
        #expect(bench.type("print(i)\r") == [])
        #expect(bench.end(.incomplete) == [.run(["for i=1,2 do\nprint(i)"])])
        #expect(bench.end(.incomplete) == [])
        let whole = "for i=1,2 do\nprint(i)\nend"
        #expect(bench.type("end\r") == [.run([whole])])
        #expect(bench.end(.over(output: Array("1\n2\n".utf8))) == [.remember(whole)])
        #expect(bench.lines == ["> for i=1,2 do", ">> print(i)", ">> end", "1", "2", ">"])
    }

    @Test func whatIsTypedAheadRunsAfterwardsAndABreakDropsIt() {
        var bench = PromptBench()
        #expect(bench.type("a\r") == [.remember("a"), .run(["a"])])
        #expect(bench.type("b\rc\r") == [])
        #expect(bench.end() == [.remember("b"), .run(["b"])])
        #expect(bench.type("\u{3}") == [.interrupt])
        #expect(bench.end(.over(error: "KeyboardInterrupt: ")) == [])
        #expect(bench.machine.editor.text.isEmpty)
        #expect(bench.type("half\u{3}") == [])
        #expect(bench.lines.suffix(2) == [">>> half", ">>>"])
    }

    @Test func anAnswerGoesToTheCodeThatAsks() {
        var bench = PromptBench()
        _ = bench.type("n = input('name? ')\r")
        #expect(bench.type("too early\r") == [])
        _ = bench.type("\u{3}")
        _ = bench.end(.over(error: "KeyboardInterrupt: "))
        _ = bench.type("n = input('name? ')\r")
        _ = bench.show("name? ")
        #expect(bench.keys("Bx\u{7F}o\r") == [.answer(Array("Bo\r".utf8))])
        _ = bench.show("Bo\r\n")
        #expect(bench.end() == [])
        #expect(bench.lines.suffix(2) == ["name? Bo", ">>>"])
    }

    @Test func namesAreCompleted() throws {
        var bench = PromptBench()
        let completion = try #require(NameCompletion("x = device.bat", .python))
        #expect(bench.type("x = device.bat\t") == [.complete(completion)] && completion.owner == "device")
        #expect(bench.type("()") == [])
        #expect(bench.complete(["battery_level"]) == [])
        #expect(bench.machine.editor.text == "x = device.battery_level()")
        _ = bench.type("\u{3}dev.\t")
        #expect(bench.complete(["reset", "read"]) == [] && bench.machine.editor.text == "dev.re")
        _ = bench.type("\t")
        #expect(bench.complete(["read", "reset"]) == [] && bench.lines.suffix(2) == ["read  reset", ">>> dev.re"])
        _ = bench.type("\u{3}if x:\r")
        _ = bench.type("\t")
        #expect(bench.machine.editor.text == "if x:\n        ")
    }

    @Test(arguments: [
        ("a.b.c", "a.b", "c"), ("f(a.", "a", ""), ("x", "", "x"), ("1 + de", "", "de"), ("f().x", nil, nil), ("a..b", nil, nil),
        ("", nil, nil), ("1a", nil, nil), ("é.x", nil, nil), ("a[0].b", nil, nil),
    ] as [(String, String?, String?)])
    func onlyNamesAreAskedFor(text: String, owner: String?, beginning: String?) {
        let completion = NameCompletion(text, .python)
        #expect(completion?.owner == owner && completion?.beginning == beginning)
    }

    /// A device's answer is a list of names, or nothing.
    @Test func whatTheUnitAnswersIsNoName() throws {
        let completion = try #require(NameCompletion("os.r", .python))
        #expect(completion.names(in: Array("rm r\u{1B}[2J _r read 1r r;x rm".utf8)) == ["read", "rm"])
        let hidden = try #require(NameCompletion("_", .lua))
        #expect(hidden.names(in: Array("_G a".utf8)) == ["_G"])
        #expect(try #require(NameCompletion("frame.a:b", .lua)).owner == "frame.a")
        #expect(try #require(NameCompletion("whi", .lua)).names(in: []) == ["while"])
    }

    @Test func wordsThatPeopleExpect() {
        for language in PromptLanguage.allCases {
            for word in ["exit", "exit()", " quit ", "quit()"] {
                var bench = PromptBench(language)
                #expect(bench.type(word + "\r").last == .leave)
            }
            for key in ["\u{4}", "\u{18}", "\u{1D}"] {
                var bench = PromptBench(language)
                #expect(bench.type(key) == [.leave])
                _ = bench.type(language == .lua ? "while true do end\r" : "while True: pass\r\r")
                #expect(bench.type(key) == [.leave], "whatever runs")
            }
            var bench = PromptBench(language)
            #expect(bench.type("help\r") == [.remember("help")])
            #expect(bench.lines.contains { $0.contains("Tab completes names") })
            #expect(bench.type("x\u{1}\u{4}") == [] && bench.machine.editor.text.isEmpty)
        }
        var bench = PromptBench()
        #expect(bench.type("help(1)\r").last == .run(["help(1)"]))
    }

    /// A pasted text must not restart the unit, nor a finger that slipped.
    @Test func safeModeIsOnPurpose() {
        var bench = PromptBench()
        #expect(bench.type("a\u{1C}\u{1C}b") == [])
        bench.now = bench.now.advanced(by: .seconds(3))
        #expect(bench.type("\u{1C}") == [])
        bench.now = bench.now.advanced(by: .seconds(3))
        #expect(bench.type("\u{1C}") == [])
        bench.now = bench.now.advanced(by: .seconds(1))
        #expect(bench.type("\u{1C}") == [.safeMode])
        var frame = PromptBench(.lua)
        #expect(frame.type("\u{1C}") == [] && frame.type("\u{1C}") == [])
    }

    @Test func aBlankInFrontKeepsAnInputOutOfTheFile() {
        var bench = PromptBench()
        #expect(bench.type(" key = 'secret'\r") == [.run(["key = 'secret'"])])
    }

    // MARK: - The screen

    @Test func longAndWideInputsAreEditedAcrossRows() {
        var bench = PromptBench(columns: 20)
        _ = bench.keys("x = 'abcdefghijklmnop'")
        #expect(bench.lines == [">>> x = 'abcdefghij", "... klmnop'"])
        _ = bench.type("\u{1}\u{1B}[C#")
        #expect(bench.lines == [">>> x# = 'abcdefghi", "... jklmnop'"] && bench.screen.cursor.column == 6)
        _ = bench.type("\u{3}")
        _ = bench.keys("日本語日本語日本語")
        #expect(bench.lines.suffix(2) == [">>> 日本語日本語日", "... 本語"])
        _ = bench.type("\u{1B}[D\u{1B}[D\u{1B}[D\u{1B}[3~")
        #expect(bench.lines.suffix(2) == [">>> 日本語日本語本", "... 語"] && bench.screen.foreign == [])
    }

    @Test func aResizedTerminalIsDrawnAnew() {
        var bench = PromptBench(columns: 80)
        _ = bench.keys("x = 'abcdefghijklmnop'")
        bench.fit(20)
        #expect(bench.lines == [">>> x = 'abcdefghij", "... klmnop'"])
        bench.fit(80)
        #expect(bench.lines == [">>> x = 'abcdefghijklmnop'"] && bench.screen.foreign == [])
    }

    @Test func outputKeepsToItsRow() {
        var bench = PromptBench(columns: 20)
        _ = bench.type("run()\r")
        _ = bench.show("10%\r20%\r")
        _ = bench.show("30%\u{8}\u{8}\u{8}\u{8}\u{8}abc\r\na\tb\r\n" + String(repeating: "語", count: 12) + "\r\n")
        #expect(bench.lines == [">>> run()", "abc", "a       b", String(repeating: "語", count: 9), "語語語", ""])
        _ = bench.end()
        #expect(bench.lines.last == ">>>")
    }

    /// Whatever a unit prints, what stands above it stays, and the prompt stays below.
    @Test(arguments: UInt64(0)..<40) func nothingFromTheUnitMovesTheCursorOutside(seed: UInt64) {
        var bench = PromptBench(columns: 30)
        _ = bench.type("first\r")
        _ = bench.show("above\r\n")
        for piece in 0..<30 {
            let noise = SeededNumbers.bytes(40, seed: seed * 100 + UInt64(piece))
            _ = bench.show(noise + Array(["\u{1B}[A", "\u{1B}[H\u{1B}[2J", "\r\u{8}", "\u{9B}5A", "e\u{301}"][piece % 5].utf8))
            #expect(bench.lines.prefix(2) == [">>> first", "above"])
        }
        _ = bench.show("\r\nlast\r\n")
        _ = bench.end()
        #expect(bench.lines.suffix(2) == ["last", ">>>"])
        #expect(bench.screen.foreign == [] && bench.screen.cursor.column == 4, "\(bench.screen.foreign)")
    }

    /// Whatever is typed, one thing runs at a time, and what is drawn keeps to the terminal.
    @Test(arguments: UInt64(0)..<12) func anyKeys(seed: UInt64) {
        var bench = PromptBench(seed.isMultiple(of: 2) ? .python : .lua, columns: 24)
        var busy: PromptMachine.Effect?
        func note(_ effects: [PromptMachine.Effect]) {
            for effect in effects {
                switch effect {
                case .run, .complete:
                    #expect(busy == nil)
                    busy = effect
                default: break
                }
            }
        }
        let pieces = ["\r", "\t", "\u{1B}[A", "(", ":\r", "\u{12}", "'''", "\u{3}", "\u{1B}[200~", "\u{1B}[201~", "語", "\u{7F}", "x"]
        for (index, byte) in SeededNumbers.bytes(400, seed: seed).enumerated() {
            let piece = pieces[Int(byte) % pieces.count]
            // A break gives a completion up.
            if piece == "\u{3}", case .complete = busy { busy = nil }
            note(bench.type(piece))
            guard index.isMultiple(of: 5), let done = busy else { continue }
            busy = nil
            if case .run = done { note(bench.end(byte > 200 ? .incomplete : .over())) } else { note(bench.complete(["xa", "xb"])) }
        }
        #expect(bench.screen.foreign == [])
    }
}
