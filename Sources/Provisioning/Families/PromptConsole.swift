import Bluetooth
import REPL
import Support

/// A console at a prompt that can be proven anew.
public protocol PromptConsole: ProgramConsole {
    associatedtype Prompt: UnitPrompt
    var repl: Prompt { get }
    var connection: any Connection { get }
    var restoreGuard: RestoreGuard { get }
    /// To reach the prompt, a program that has to be interrupted included.
    static var promptTimeout: Duration { get }
}

/// A console with MicroPython behind it.
public protocol PythonConsole: PromptConsole where Prompt == PythonREPL {}

extension PromptConsole {
    /// Ctrl-C waits for the start of the unit's program.
    public static var shutdownGrace: Duration { PythonREPL.farewell }

    /// Asks once more, from a fresh prompt, when an answer was lost or garbled.
    public func insisting<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
        try await repl.insisting(within: Self.promptTimeout, ask)
    }

    public func detach() async -> any Connection {
        await repl.close()
        return connection
    }

    /// Ends the link; the unit stays at its prompt unless its program was started.
    public func close() async {
        await repl.close()
        await connection.disconnect()
    }

    public func restoreProgram() async {
        guard restoreGuard.owesStart else { return }
        await repl.putBack(within: Self.shutdownGrace)
    }
}
