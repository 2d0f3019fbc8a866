import REPL
import Testing

@testable import noafw

/// A person's keys at a Lua prompt.
@Suite struct LuaPromptMachineTests {
    private static func typed(_ text: String) -> LuaPromptMachine.Event { .typed(Array(text.utf8)) }
    private static let done = LuaEvaluation.finished(output: [])

    @Test func oneLineRunsAtATime() throws {
        var machine = LuaPromptMachine()
        #expect(try machine.take(Self.typed("a=1\n \nb")) == [.evaluate("a=1")])
        #expect(try machine.take(Self.typed("=2\nc=3\n")) == [])
        #expect(
            try machine.take(.evaluated(Self.done)) == [
                .show(Self.done), .prompt(continues: false), .prompt(continues: false), .evaluate("b=2")
            ])
        #expect(try machine.take(.evaluated(Self.done)) == [.show(Self.done), .prompt(continues: false), .evaluate("c=3")])
    }

    @Test func aStatementGoesOnUntilTheUnitHasAllOfIt() throws {
        var machine = LuaPromptMachine()
        #expect(try machine.take(Self.typed("do\n")) == [.evaluate("do")])
        #expect(try machine.take(.evaluated(.incomplete(LuaException("<eof>".utf8)))) == [.prompt(continues: true)])
        #expect(try machine.take(Self.typed("end\n")) == [.evaluate("do\nend")])
    }

    /// It breaks what runs, and throws away what is typed: the rest of a line, a statement that is begun, and lines that wait.
    @Test func theBreakThrowsAway() throws {
        var machine = LuaPromptMachine()
        #expect(try machine.take(Self.typed("half\u{3}")) == [.newLine, .prompt(continues: false)])
        #expect(try machine.take(Self.typed("do\n")) == [.evaluate("do")])
        _ = try machine.take(.evaluated(.incomplete(LuaException("<eof>".utf8))))
        #expect(try machine.take(Self.typed("\u{3}1\n")) == [.newLine, .prompt(continues: false), .evaluate("1")])
        #expect(try machine.take(Self.typed("2\n3\u{3}")) == [.newLine, .interrupt])
        let broken = LuaEvaluation.raised(LuaException("break signal".utf8), output: [])
        #expect(try machine.take(.evaluated(broken)) == [.show(broken), .prompt(continues: false)])
    }

    @Test func theEndLeavesWhateverRuns() throws {
        var machine = LuaPromptMachine()
        _ = try machine.take(Self.typed("while true do end\n"))
        #expect(try machine.take(.ended) == [.newLine, .leave])
    }

    @Test func aLineIsBounded() throws {
        var machine = LuaPromptMachine()
        #expect(throws: CommandError.self) { try machine.take(Self.typed(String(repeating: "y", count: 5000))) }
    }
}
