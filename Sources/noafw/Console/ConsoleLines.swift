import Bluetooth
import REPL
import Support

/// Runs the lines of another program on a unit, one statement after the other.
struct ConsoleLines: Sendable {
    /// Bytes of one line.
    private static let lineLimit = PythonStatements.limit

    let context: CommandContext

    func run(_ repl: PythonREPL) async throws -> ConsoleVerdict {
        var lines = try InputLines(context, limit: Self.lineLimit)
        defer { lines.close() }
        var statements = PythonStatements()
        var verdict = ConsoleVerdict()
        while let line = try await lines.next() {
            for statement in try Self.completed(by: line, &statements) { try await run(statement, on: repl, &verdict) }
        }
        for statement in statements.finish() { try await run(statement, on: repl, &verdict) }
        return verdict
    }

    private static func completed(by line: String, _ statements: inout PythonStatements) throws(CommandError) -> [String] {
        do { return try statements.take(line) } catch { throw .statementTooLong(limit: PythonStatements.limit) }
    }

    /// As at a prompt: the value of an expression is printed. The released firmware has no `compile`: the body of a function that
    /// is not called tells an expression from a statement, so that nothing runs twice.
    static func code(_ statement: String) throws -> PythonCode {
        let literal = String(decoding: PythonLiteral.string(statement), as: UTF8.self)
        if statement.contains("\n") { return try PythonCode("exec(\(literal))") }
        return try PythonCode("""
            _s=\(literal)
            try:
             exec('def _():\\n return('+_s+'\\n)')
            except SyntaxError:
             exec(_s)
            else:
             _=eval(_s)
             if _ is not None:
              print(repr(_))
            """)
    }

    private func run(_ statement: String, on repl: PythonREPL, _ verdict: inout ConsoleVerdict) async throws {
        do {
            let output = try await repl.run(Self.code(statement), within: .forever)
            var filter = TerminalFilter()
            context.output.write(filter.show(output).replacing("\r\n", with: "\n"))
        } catch REPLError.exception(let exception) {
            verdict.hasRaised = true
            for line in exception.traceback.split(separator: "\n") { context.diagnostics.writeLine(UntrustedText.escape(String(line))) }
        }
    }
}
