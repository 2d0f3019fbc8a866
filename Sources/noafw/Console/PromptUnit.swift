import REPL
import Support
import Synchronization

/// A unit's prompt at the service of a person: one thing runs at a time, and what callbacks print between is heard, too.
final class PromptUnit: Sendable {
    enum Request: Sendable {
        case run([String])
        case complete(NameCompletion)
    }

    enum Event: Sendable {
        case output([UInt8])
        case ended(PromptMachine.Ending)
        case completed(NameCompletion, [String])
    }

    private static let (startTimeout, promptTimeout) = (Duration.seconds(60), Duration.seconds(15))
    private static let keysTimeout = Duration.seconds(10)
    /// How often the unit is listened to while nothing runs.
    private static let look = Duration.milliseconds(200)

    private let prompt: ConsolePrompt
    private let clock: SessionClock
    /// The unit may be out of step.
    private let isDisturbed = Mutex(false)

    /// - Parameter clock: the person's.
    init(_ prompt: ConsolePrompt, clock: SessionClock) { (self.prompt, self.clock) = (prompt, clock) }

    /// - Throws: ``REPLError`` or ``LinkError`` when the prompt is lost.
    func serve(_ requests: Inbox<Request>, _ report: @Sendable (Event) -> Void) async throws {
        if case .lua(let repl) = prompt { try await repl.prepareEvaluation(within: Self.promptTimeout) }
        while true {
            switch try await requests.next(before: clock.deadline(in: Self.look), on: clock) {
            case .run(let statements): report(.ended(try await run(statements, report)))
            case .complete(let completion):
                let names = try await settled { try await prompt.names(completion) }
                report(.completed(completion, (try? names.get()) ?? []))
            case nil: while let bytes = try await heard() { report(.output(bytes)) }
            }
        }
    }

    func interrupt() async throws {
        isDisturbed.withLock { $0 = true }
        switch prompt {
        case .python(let repl): try await repl.interrupt(within: Self.keysTimeout)
        case .lua(let repl): try await repl.interrupt(within: Self.keysTimeout)
        }
    }

    /// Keys for the code that runs on a Python unit.
    func type(_ keys: [UInt8]) async throws {
        guard case .python(let repl) = prompt else { return }
        isDisturbed.withLock { $0 = true }
        try await repl.type(keys, within: Self.keysTimeout)
    }

    private func heard() async throws -> [UInt8]? {
        switch prompt {
        case .python(let repl): return try await repl.nextOutput(before: repl.clock.now)
        case .lua(let repl):
            while let notification = try await repl.next(before: repl.clock.now) {
                if case .text(let bytes) = notification { return bytes + [0x0A] }
            }
            return nil
        }
    }

    private func run(_ statements: [String], _ report: @Sendable (Event) -> Void) async throws -> PromptMachine.Ending {
        for statement in statements {
            let ending = try await settled {
                switch prompt {
                case .python(let repl):
                    let exception = try await repl.stream(ConsoleLines.code(statement), within: Self.startTimeout) { report(.output($0)) }
                    return PromptMachine.Ending.over(error: exception.map { ConsoleLines.traceback($0) })
                case .lua(let repl): return PromptMachine.Ending(try await repl.evaluate(statement, within: .forever))
                }
            }
            switch ending {
            case .success(.over([], nil)): continue
            case .success(let ending): return ending
            case .failure(let error): return .over(error: error.diagnosis.message)
            }
        }
        return .over()
    }

    /// A break or an answer may hit more than the code that ran.
    /// - Throws: ``REPLError`` where the prompt does not come back, ``LinkError``.
    private func settled<Value>(_ body: () async throws -> Value) async throws -> Result<Value, REPLError> {
        var result: Result<Value, REPLError>
        var isInStep = true
        do {
            result = .success(try await body())
        } catch let error as REPLError {
            (result, isInStep) = (.failure(error), false)
            isDisturbed.withLock { $0 = true }
        }
        let isDisturbed = isDisturbed.withLock { disturbed in
            defer { disturbed = false }
            return disturbed
        }
        guard isDisturbed else { return result }
        switch prompt {
        case .python(let repl): try await repl.recover(within: Self.promptTimeout)
        case .lua(let repl): if !isInStep { try await repl.recover(within: Self.promptTimeout) }
        }
        return result
    }
}

extension PromptMachine.Ending {
    fileprivate init(_ evaluation: LuaEvaluation) {
        func lines(_ output: [UInt8]) -> [UInt8] { output.isEmpty ? [] : output + [0x0A] }
        self = switch evaluation {
        case .finished(let output): .over(output: lines(output))
        case .raised(let exception, let output): .over(output: lines(output), error: exception.message)
        case .incomplete: .incomplete
        }
    }
}
