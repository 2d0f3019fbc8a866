import Bluetooth
import REPL
import Support

/// Runs lines on a unit's Lua: those of another program, or those of a user, which the terminal edits. What is not complete goes on
/// with the next line.
struct LuaLines: Sendable {
    /// Bytes of one statement; a unit is given twice as many with its quotes.
    private static let limit = 4096

    let context: CommandContext

    private var isAtTerminal: Bool { context.input.isTerminal && context.output.isTerminal }

    func run(_ repl: LuaREPL) async throws -> ConsoleVerdict {
        var lines = try InputLines(context, limit: Self.limit)
        defer { lines.close() }
        var verdict = ConsoleVerdict()
        var begun: String?
        if isAtTerminal { context.output.writeLine("Lua on the unit. Press Ctrl-D to leave.") }
        prompt(continues: false)
        while let line = try await lines.next() {
            let statement = begun.map { "\($0)\n\(line)" } ?? line
            begun = nil
            guard statement.utf8.count <= Self.limit else { throw CommandError.statementTooLong(limit: Self.limit) }
            if !statement.allSatisfy(\.isWhitespace) {
                begun = try await isIncomplete(statement, on: repl, hasNext: true, &verdict) ? statement : nil
            }
            prompt(continues: begun != nil)
        }
        if let begun { _ = try await isIncomplete(begun, on: repl, hasNext: false, &verdict) }
        if isAtTerminal { context.output.writeLine("") }
        return verdict
    }

    private func prompt(continues: Bool) {
        if isAtTerminal { context.output.write(continues ? ">> " : "> ") }
    }

    /// - Returns: whether the statement goes on with the next line.
    private func isIncomplete(
        _ statement: String, on repl: LuaREPL, hasNext: Bool, _ verdict: inout ConsoleVerdict
    ) async throws -> Bool {
        switch try await repl.evaluate(statement, within: .forever) {
        case .finished(let output): show(output)
        case .raised(let exception, let output):
            show(output)
            fail(exception, &verdict)
        case .incomplete(let exception):
            guard !hasNext else { return true }
            fail(exception, &verdict)
        }
        return false
    }

    private func show(_ output: [UInt8]) {
        guard !output.isEmpty else { return }
        var filter = TerminalFilter()
        context.output.writeLine(filter.show(output))
    }

    private func fail(_ exception: LuaException, _ verdict: inout ConsoleVerdict) {
        verdict.hasRaised = !isAtTerminal
        context.diagnostics.writeLine(UntrustedText.escape(exception.message))
    }
}
