import Bluetooth
import REPL
import Support

/// Runs standard input on a unit's Lua: as one chunk, so that locals live to its end. Where that is none, such as lines with values to
/// be shown, each line is a statement; an incomplete one goes on with the next line.
struct LuaLines: Sendable {
    let context: CommandContext

    func run(_ repl: LuaREPL) async throws -> ConsoleVerdict {
        var input = try InputLines(context, limit: LuaREPL.codeLimit)
        defer { input.close() }
        var (lines, byteCount): ([String], Int) = ([], 0)
        while let line = try await input.next() {
            lines.append(line)
            byteCount += line.utf8.count + 1
            guard byteCount <= LuaREPL.codeLimit else { throw CommandError.statementTooLong(limit: LuaREPL.codeLimit) }
        }
        if lines.count > 1 {
            do {
                let code = UnitCode(bytes: Array(lines.joined(separator: "\n").utf8), name: "stdin")
                return ConsoleVerdict(hasRaised: try await !CodeRunner(context: context).run(code, at: .lua(repl)))
            } catch REPLError.lua {
                // It is no chunk.
            }
        }
        return try await run(lines, repl)
    }

    private func run(_ lines: [String], _ repl: LuaREPL) async throws -> ConsoleVerdict {
        var statements = LuaStatements()
        var verdict = ConsoleVerdict()
        for line in lines {
            guard let statement = try statements.take(line) else { continue }
            let evaluation = try await repl.evaluate(statement, within: .forever)
            if case .incomplete = evaluation { statements.goOn(statement) } else { show(evaluation, &verdict) }
        }
        if let begun = statements.begun { show(try await repl.evaluate(begun, within: .forever), &verdict) }
        return verdict
    }

    private func show(_ evaluation: LuaEvaluation, _ verdict: inout ConsoleVerdict) {
        if evaluation.show(in: context) { verdict.hasRaised = true }
    }
}

/// Joins lines of Lua to statements; only the unit knows where one ends.
struct LuaStatements {
    /// Bytes of one statement. With its quotes, the unit gets twice as many.
    static let limit = 4096

    /// What goes on with the next line.
    private(set) var begun: String?

    /// - Returns: what may be a whole statement; `nil` for white space.
    mutating func take(_ line: String) throws(CommandError) -> String? {
        let statement = begun.map { "\($0)\n\(line)" } ?? line
        begun = nil
        guard statement.utf8.count <= Self.limit else { throw .statementTooLong(limit: Self.limit) }
        return statement.allSatisfy(\.isWhitespace) ? nil : statement
    }

    mutating func goOn(_ statement: String) { begun = statement }
}

extension LuaEvaluation {
    /// Writes what the unit's Lua said, made harmless.
    /// - Returns: whether the statement failed.
    func show(in context: CommandContext) -> Bool {
        let (output, exception): ([UInt8], LuaException?) = switch self {
        case .finished(let output): (output, nil)
        case .raised(let exception, let output): (output, exception)
        case .incomplete(let exception): ([], exception)
        }
        var filter = TerminalFilter()
        if !output.isEmpty { context.output.writeLine(filter.show(output)) }
        if let exception { context.diagnostics.writeLine(UntrustedText.escape(exception.message)) }
        return exception != nil
    }
}
