import Bluetooth
import REPL
import Support

/// Runs the lines of another program on a unit, one statement after the other.
struct ConsoleLines: Sendable {
    let context: CommandContext

    func run(_ repl: PythonREPL) async throws -> ConsoleVerdict {
        var lines = try InputLines(context, limit: PythonStatements.limit)
        defer { lines.close() }
        var statements = PythonStatements()
        var verdict = ConsoleVerdict()
        while let line = try await lines.next() {
            for statement in try statements.take(line) { try await run(statement, on: repl, &verdict) }
        }
        for statement in statements.finish() { try await run(statement, on: repl, &verdict) }
        return verdict
    }

    /// Prints the value of an expression, as a prompt does. The released firmware has no `compile`: whether the text is an expression
    /// shows in the body of a function that is never called, so that nothing runs twice.
    static func code(_ statement: String) throws -> PythonCode {
        let literal = String(decoding: PythonLiteral.string(statement), as: UTF8.self)
        if PythonStatements.isBlock(statement), statement.contains("\n") {
            // Bytes that the prompt would act upon are escaped.
            return try (try? PythonCode(statement)) ?? PythonCode("exec(\(literal))")
        }
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

    /// Without the frame that runs the statement.
    static func traceback(_ exception: PythonException) -> String {
        let frame = "  File \"<stdin>\", line "
        let lines = exception.traceback.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().filter { index, line in
            !(line.hasPrefix(frame) && lines.dropFirst(index + 1).first?.hasPrefix("  File \"<string>\", ") == true)
        }.map(\.element).joined(separator: "\n")
    }

    private func run(_ statement: String, on repl: PythonREPL, _ verdict: inout ConsoleVerdict) async throws {
        do {
            let output = try await repl.run(Self.code(statement), within: .forever)
            var filter = TerminalFilter()
            context.output.write(filter.show(output).replacing("\r\n", with: "\n"))
        } catch REPLError.exception(let exception) {
            verdict.hasRaised = true
            for line in Self.traceback(exception).split(separator: "\n") {
                context.diagnostics.writeLine(UntrustedText.escape(String(line)))
            }
        }
    }
}

/// The lines of standard input, read only when they are asked for.
struct InputLines {
    private let clock: SessionClock
    private let limit: Int
    private let pieces = Inbox<[UInt8]?>()
    private let typed: any TypedInput
    private var pending: [UInt8] = []
    private var hasEnded = false

    /// - Parameter limit: bytes of one line.
    init(_ context: CommandContext, limit: Int) throws {
        (clock, self.limit) = (context.clock, limit)
        typed = try context.input.open(.lines) { [pieces] in pieces.deliver($0) }
    }

    /// - Returns: `nil` at the end of the input.
    /// - Throws: ``CommandError/statementTooLong(limit:)``, `CancellationError`.
    mutating func next() async throws -> String? {
        while true {
            if let line = try takeLine() { return line }
            guard !hasEnded else { return nil }
            typed.more()
            let piece = try await pieces.next(before: clock.deadline(in: .forever), on: clock) ?? nil
            hasEnded = piece == nil
            pending += piece ?? []
        }
    }

    private mutating func takeLine() throws(CommandError) -> String? {
        let end = pending.firstIndex(of: 0x0A) ?? (hasEnded && !pending.isEmpty ? pending.endIndex : nil)
        guard end ?? pending.count <= limit else { throw .statementTooLong(limit: limit) }
        guard let end else { return nil }
        defer { pending.removeSubrange(..<min(end + 1, pending.count)) }
        let line = pending[..<end]
        return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
    }

    func close() { typed.close() }
}
