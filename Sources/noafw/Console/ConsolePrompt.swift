import REPL

/// The prompt that a unit has.
enum ConsolePrompt: Sendable {
    case python(PythonREPL)
    case lua(LuaREPL)
}
