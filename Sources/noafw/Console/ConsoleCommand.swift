import ArgumentParser
import Bluetooth
import Provisioning
import Support

/// `noafw console`
struct ConsoleCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Open the prompt of a unit, Python or Lua, for support.",
        discussion: """
            Interrupts the unit's program and opens its prompt. On leaving, noafw starts the program again.

            The value of an expression is shown. A statement that goes on asks for more lines; a block of Python ends with a blank \
            one. Lines are edited as in noafw chat, Tab completes names on the unit, Ctrl-R searches earlier inputs, and what is \
            pasted is one input. Press Ctrl-C to break what runs; enter exit, or press Ctrl-D or Ctrl-X, to leave; help explains. \
            On a Monocle press Ctrl-\\ twice to restart the unit into safe mode, without its program; this ends the link.

            Without a terminal, noafw runs standard input. In Python it shows the value of each expression, and goes on behind an \
            exception. Lua gets it whole, so that locals live to its end; where it is no chunk, as 1+1 is none, each line is evaluated. \
            Output goes to standard output, and errors go to standard error.

            Examples:
              noafw console
              noafw console --virtual monocle
              noafw console --virtual frame
              echo "frame.battery_level()" | noafw console --family frame
              echo "import device; device.battery_level()" | noafw console --nearest
              noafw console --stay < diagnose.py
              noafw console --family frame < check.lua

            Exit codes: 0 no line failed; 1 a line raised an exception; for the others see noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions

    @Flag(help: "Leave the unit at its prompt; do not start its program again.")
    var stay = false

    @OptionGroup var limit: TimeLimit

    func run(in context: CommandContext) async -> Int32 {
        let conclusion = Conclusion()
        context.interrupts.exitReport.set { conclusion.say { context.explain(CommandError.consoleInterrupted.diagnosis) } }
        defer { context.interrupts.exitReport.set(nil) }
        do {
            let request = ConsoleRequest(
                unit: unit.value, inputs: AssetInputs(search: context.assetSearch(nil)), staysAtPrompt: stay,
                stateFolder: try context.stateFolder(), notice: context.note)
            let isAtTerminal = context.input.isTerminal && context.output.isTerminal && !context.isDumbTerminal
            let terminal = ConsoleTerminal(context: context, stateFolder: request.stateFolder)
            let outcome = await Supervisor(context: context, tick: nil, timeoutSeconds: limit.timeout).run {
                try await context.services.console(request) { prompt in
                    switch prompt {
                    case _ where isAtTerminal: try await terminal.run(prompt)
                    case .python(let repl): try await ConsoleLines(context: context).run(repl)
                    case .lua(let repl): try await LuaLines(context: context).run(repl)
                    }
                }
            }
            switch outcome {
            case .finished(let verdict), .interrupted(let verdict?): return verdict.passed ? 0 : Diagnosis.Category.unitFailed.rawValue
            case .failed(let error): throw error
            case .interrupted(nil): throw CommandError.consoleInterrupted
            }
        } catch {
            let diagnosis = diagnose(error)
            conclusion.say { context.explain(diagnosis) }
            return diagnosis.category.rawValue
        }
    }
}
