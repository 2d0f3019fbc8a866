import REPL

/// A person's lines at a unit's Lua prompt: one statement runs at a time, Ctrl-C breaks it.
struct LuaPromptMachine {
    enum Event: Sendable {
        case typed([UInt8])
        /// Ctrl-D.
        case ended
        case evaluated(LuaEvaluation)
    }

    enum Action: Sendable, Hashable {
        case evaluate(String)
        /// Break what runs on the unit.
        case interrupt
        case show(LuaEvaluation)
        case prompt(continues: Bool)
        case newLine
        case leave
    }

    private static let interrupt: UInt8 = 0x03

    private var statements = LuaStatements()
    private var running: String?
    /// What was typed and not yet run, with the beginning of a line.
    private var typed: [UInt8] = []

    /// - Throws: ``CommandError/statementTooLong(limit:)``.
    mutating func take(_ event: Event) throws(CommandError) -> [Action] {
        switch event {
        case .typed(let bytes):
            guard let last = bytes.lastIndex(of: Self.interrupt) else {
                typed += bytes
                return try next()
            }
            // What was typed before is thrown away, as the line that it breaks.
            (typed, statements) = (Array(bytes[(last + 1)...]), LuaStatements())
            if running != nil { return [.newLine, .interrupt] }
            return [.newLine, .prompt(continues: false)] + (try next())
        case .ended: return [.newLine, .leave]
        case .evaluated(let evaluation):
            guard let statement = running else { return [] }
            running = nil
            guard case .incomplete = evaluation else { return [.show(evaluation), .prompt(continues: false)] + (try next()) }
            statements.goOn(statement)
            return [.prompt(continues: true)] + (try next())
        }
    }

    private mutating func next() throws(CommandError) -> [Action] {
        var actions: [Action] = []
        while running == nil, let end = typed.firstIndex(of: 0x0A) {
            let line = String(decoding: typed[..<end], as: UTF8.self)
            typed.removeSubrange(...end)
            running = try statements.take(line)
            actions.append(running.map(Action.evaluate) ?? .prompt(continues: false))
        }
        guard running != nil || typed.count <= LuaStatements.limit else { throw .statementTooLong(limit: LuaStatements.limit) }
        return actions
    }
}
