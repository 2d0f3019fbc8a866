import Bluetooth
import REPL
import ScriptBundle
import Support

/// A console at a prompt that can be proven again.
public protocol PromptConsole: ProgramConsole {
    associatedtype Prompt: UnitPrompt
    var repl: Prompt { get }
    var connection: any Connection { get }
    var restoreGuard: RestoreGuard { get }
    /// Time to reach the prompt, including interrupting a program.
    static var promptTimeout: Duration { get }
    /// Starts the program, waits until it has shown that it works and has run this long without an error, and returns to the
    /// prompt.
    func hearProgram(of scripts: ScriptSet, watching: Duration) async throws -> ProgramVerification
}

public protocol PythonConsole: PromptConsole where Prompt == PythonREPL {}

extension PromptConsole {
    public var roundTrip: Duration? { repl.roundTrip }

    /// Ctrl-C waits for the start of the unit's program.
    public static var shutdownGrace: Duration { PythonREPL.shutdownGrace }

    /// Asks once more, from a fresh prompt, when an answer was lost or damaged.
    public func insisting<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
        try await repl.insisting(within: Self.promptTimeout, ask)
    }

    /// Earlier digests say nothing about files that the program has changed since.
    public func verifyProgram(of scripts: ScriptSet, watching: Duration) async throws -> ProgramVerification {
        let verification = try await ProvisioningError.blaming(ProvisioningError.programEndsLink) {
            try await hearProgram(of: scripts, watching: watching)
        }
        let changes = try await confirmed({ $0.isEmpty }, again: { try await recover(isFresh: true) }) {
            try await self.changes(of: scripts)
        }
        try await startProgram()
        guard changes.isEmpty else { throw ProvisioningError.programChanges(changes.map(\.description)) }
        return verification
    }

    /// In the program's interpreter, or in a new one if the program has left no memory.
    private func changes(of scripts: ScriptSet) async throws -> [ScriptDifference] {
        let store = store(for: scripts)
        let found: [ScriptDifference]
        do {
            found = try await insisting { try await store.deepCheck() }
        } catch let error as REPLError where error.isOutOfMemory {
            try await recover(isFresh: true)
            found = try await store.deepCheck()
        }
        return found.filter { !$0.isHarmless }
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
