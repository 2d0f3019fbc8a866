import Provisioning
import REPL
import Support

extension LuaREPL {
    /// Drops what the unit said before.
    func forget() async throws { while try await next(before: clock.now) != nil {} }
}

/// The prompt that a unit has.
enum ConsolePrompt: Sendable {
    case python(PythonREPL)
    case lua(LuaREPL)

    /// - Returns: `nil` for a unit without a prompt.
    init?(_ console: any ProgramConsole) {
        guard let prompt = (console as? any PromptConsole)?.repl else { return nil }
        switch prompt {
        case let python as PythonREPL: self = .python(python)
        case let lua as LuaREPL: self = .lua(lua)
        default: return nil
        }
    }
}
