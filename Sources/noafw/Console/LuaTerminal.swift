import Bluetooth
import REPL
import Support

/// A person at a unit's Lua prompt. The terminal edits the lines.
struct LuaTerminal: Sendable {
    private typealias Event = Result<LuaPromptMachine.Event, any Error>
    /// To get back to the prompt after a break that hit more than the statement.
    private static let recoveryTimeout = Duration.seconds(15)
    private static let preparationTimeout = Duration.seconds(15)
    private static let interruptTimeout = Duration.seconds(5)

    let context: CommandContext

    func run(_ repl: LuaREPL) async throws -> ConsoleVerdict {
        try await repl.prepareEvaluation(within: Self.preparationTimeout)
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
                    case .show(let evaluation): _ = LuaOutput(context: context).show(evaluation)
                    case .prompt(let continues): context.output.write(Self.prompt(continues: continues))
                    case .newLine: context.output.writeLine("")
                    case .leave: return ConsoleVerdict()
                    }
                }
                if case .typed = event { typed.more() }
            }
            return ConsoleVerdict()
        }
    }

    private static func prompt(continues: Bool) -> String { continues ? ">> " : "> " }

    private static func evaluate(_ statement: String, on repl: LuaREPL) async -> Event {
        do {
            return .success(.evaluated(try await repl.evaluate(statement, within: .forever)))
        } catch let error as REPLError {
            do {
                try await repl.recover(within: recoveryTimeout)
                return .success(.evaluated(.raised(LuaException(error.diagnosis.message.utf8), output: [])))
            } catch {
                return .failure(error)
            }
        } catch {
            return .failure(error)
        }
    }
}
