import Bluetooth
import REPL
import Support

/// A person at a unit's Lua prompt. The terminal edits the lines.
struct LuaTerminal: Sendable {
    private typealias Event = Result<LuaPromptMachine.Event, any Error>

    private static let promptTimeout = Duration.seconds(15)
    private static let interruptTimeout = Duration.seconds(5)

    let context: CommandContext

    func run(_ repl: LuaREPL) async throws -> ConsoleVerdict {
        try await repl.prepareEvaluation(within: Self.promptTimeout)
        let events = Inbox<Event>()
        let typed = try context.input.open(.breakableLines) { events.deliver(.success($0.map { .typed($0) } ?? .ended)) }
        defer { typed.close() }
        context.output.writeLine("Lua on the unit. Press Ctrl-C to break a line and Ctrl-D to leave.")
        context.output.write(Self.prompt(continues: false))
        typed.more()
        return try await withThrowingDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            var machine = LuaPromptMachine()
            while let event = try await events.next(before: context.clock.deadline(in: .forever), on: context.clock) {
                let event = try event.get()
                for action in try machine.take(event) {
                    switch action {
                    case .evaluate(let statement): group.addTask { events.deliver(await Self.evaluate(statement, on: repl)) }
                    case .interrupt: try await repl.interrupt(within: Self.interruptTimeout)
                    case .show(let evaluation): _ = evaluation.show(in: context)
                    case .prompt(let continues): context.output.write(Self.prompt(continues: continues))
                    case .newLine: context.output.writeLine("")
                    case .help: context.output.writeLine(Self.help)
                    case .leave: return ConsoleVerdict()
                    }
                }
                if case .typed = event { typed.more() }
            }
            return ConsoleVerdict()
        }
    }

    private static let help = """
        A line is evaluated, and its value shown; a statement that goes on asks for more. Locals live in their line.
        Ctrl-C breaks what runs; exit or Ctrl-D leaves. frame.battery_level() is an example.
        """

    private static func prompt(continues: Bool) -> String { continues ? ">> " : "> " }

    private static func evaluate(_ statement: String, on repl: LuaREPL) async -> Event {
        do {
            return .success(.evaluated(try await repl.evaluate(statement, within: .forever)))
        } catch let error as REPLError {
            // A break may hit more than the statement.
            do {
                try await repl.recover(within: promptTimeout)
                return .success(.evaluated(.raised(LuaException(error.diagnosis.message.utf8), output: [])))
            } catch {
                return .failure(error)
            }
        } catch {
            return .failure(error)
        }
    }
}

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
        case help
        case leave
    }

    private static let interrupt: UInt8 = 0x03

    private var statements = LuaStatements()
    private var running: String?
    /// Typed and not yet run.
    private var typed: [UInt8] = []

    /// - Throws: ``CommandError/statementTooLong(limit:)``.
    mutating func take(_ event: Event) throws(CommandError) -> [Action] {
        switch event {
        case .typed(let bytes):
            guard let last = bytes.lastIndex(of: Self.interrupt) else {
                typed += bytes
                return try next()
            }
            // A break throws away what was typed before it.
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

    /// Words that mean something to a person, and nothing to Lua.
    private static func command(_ line: String) -> Action? {
        switch line.filter({ !$0.isWhitespace }) {
        case "exit", "exit()", "quit", "quit()": .leave
        case "help", "help()": .help
        default: nil
        }
    }

    private mutating func rest(after command: Action) throws(CommandError) -> [Action] {
        command == .leave ? [] : [.prompt(continues: false)] + (try next())
    }

    private mutating func next() throws(CommandError) -> [Action] {
        var actions: [Action] = []
        while running == nil, let end = typed.firstIndex(of: 0x0A) {
            let line = String(decoding: typed[..<end], as: UTF8.self)
            typed.removeSubrange(...end)
            if statements.begun == nil, let command = Self.command(line) { return actions + [command] + (try rest(after: command)) }
            running = try statements.take(line)
            actions.append(running.map(Action.evaluate) ?? .prompt(continues: false))
        }
        guard running != nil || typed.count <= LuaStatements.limit else { throw .statementTooLong(limit: LuaStatements.limit) }
        return actions
    }
}
