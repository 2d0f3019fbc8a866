import Bluetooth
import REPL
import Support

/// Runs the lines of another program on a unit's Lua. What is not complete goes on with the next line.
struct LuaLines: Sendable {
    let context: CommandContext

    func run(_ repl: LuaREPL) async throws -> ConsoleVerdict {
        var lines = try InputLines(context, limit: LuaStatements.limit)
        defer { lines.close() }
        var statements = LuaStatements()
        var verdict = ConsoleVerdict()
        while let line = try await lines.next() {
            guard let statement = try statements.take(line) else { continue }
            let evaluation = try await repl.evaluate(statement, within: .forever)
            if case .incomplete = evaluation { statements.goOn(statement) } else { show(evaluation, &verdict) }
        }
        if let begun = statements.begun { show(try await repl.evaluate(begun, within: .forever), &verdict) }
        return verdict
    }

    private func show(_ evaluation: LuaEvaluation, _ verdict: inout ConsoleVerdict) {
        verdict.hasRaised = LuaOutput(context: context).show(evaluation) || verdict.hasRaised
    }
}

/// Puts lines of Lua together to statements: only the unit knows where one ends.
struct LuaStatements {
    /// Bytes of one statement; a unit is given twice as many with its quotes.
    static let limit = 4096

    /// What has to go on with the next line.
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

/// What a unit's Lua has to say, made harmless.
struct LuaOutput: Sendable {
    let context: CommandContext

    /// - Returns: whether the statement failed.
    func show(_ evaluation: LuaEvaluation) -> Bool {
        switch evaluation {
        case .finished(let output):
            show(output)
            return false
        case .raised(let exception, let output):
            show(output)
            return fail(exception)
        case .incomplete(let exception): return fail(exception)
        }
    }

    private func show(_ output: [UInt8]) {
        guard !output.isEmpty else { return }
        var filter = TerminalFilter()
        context.output.writeLine(filter.show(output))
    }

    private func fail(_ exception: LuaException) -> Bool {
        context.diagnostics.writeLine(UntrustedText.escape(exception.message))
        return true
    }
}
