import Bluetooth
import REPL
import Support

/// A person at a unit's prompt.
struct ConsoleTerminal: Sendable {
    private enum Event: Sendable {
        case typed([UInt8]?)
        case unit(PromptUnit.Event)
    }

    private static let tick = Duration.milliseconds(250)

    let context: CommandContext
    let stateFolder: String

    func run(_ prompt: ConsolePrompt) async throws -> ConsoleVerdict {
        let unit = PromptUnit(prompt, clock: context.clock)
        let (requests, events) = (Inbox<PromptUnit.Request>(), Inbox<Event>(capacity: 1 << 16))
        return try await beside({ try await unit.serve(requests) { events.deliver(.unit($0)) } }, {
            try await converse(with: unit, PromptLanguage(prompt), requests, events)
        })
    }

    private func converse(
        with unit: PromptUnit, _ language: PromptLanguage, _ requests: Inbox<PromptUnit.Request>, _ events: Inbox<Event>
    ) async throws -> ConsoleVerdict {
        let history = HistoryFile(stateFolder: stateFolder, of: language.historyName)
        var machine = PromptMachine(language, history: history.load(), columns: context.output.columns())
        let typed = try context.input.open(.keys) { events.deliver(.typed($0)) }
        defer {
            for case .write(let text) in machine.finish() { context.output.write(text) }
            typed.close()
        }
        var effects = machine.begin()
        typed.more()
        while true {
            if let verdict = try await perform(effects, unit, requests, history) { return verdict }
            switch try await events.next(before: context.clock.deadline(in: Self.tick), on: context.clock) {
            case .typed(let bytes?):
                effects = machine.receive(bytes, now: context.clock.now)
                typed.more()
            case .typed(nil): effects = [.leave]
            case .unit(.output(let bytes)): effects = machine.show(bytes)
            case .unit(.ended(let ending)): effects = machine.end(ending)
            case .unit(.completed(let completion, let names)): effects = machine.complete(completion, names)
            case nil: effects = machine.rest()
            }
            effects += machine.fit(columns: context.output.columns())
        }
    }

    /// - Returns: how it ends.
    private func perform(
        _ effects: [PromptMachine.Effect], _ unit: PromptUnit, _ requests: Inbox<PromptUnit.Request>, _ history: HistoryFile
    ) async throws -> ConsoleVerdict? {
        for effect in effects {
            switch effect {
            case .write(let text): context.output.write(text)
            case .run(let statements): requests.deliver(.run(statements))
            case .complete(let completion): requests.deliver(.complete(completion))
            case .interrupt: try await unit.interrupt()
            case .answer(let keys): try await unit.type(keys)
            case .remember(let input): history.append(input)
            case .leave: return ConsoleVerdict()
            case .safeMode:
                try await unit.type([ConsoleTerminal.safeModeKey])
                context.output.write("\r\nThe unit restarts into safe mode.\r\n")
                return ConsoleVerdict(hasLeft: true)
            }
        }
        return nil
    }

    /// Ctrl-\: the Monocle restarts into safe mode when it gets it (monocle-micropython, `main.c`).
    private static let safeModeKey: UInt8 = 0x1C
}

extension PromptLanguage {
    fileprivate init(_ prompt: ConsolePrompt) {
        self = switch prompt {
        case .python: .python
        case .lua: .lua
        }
    }
}
