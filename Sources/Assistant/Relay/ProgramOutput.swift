import REPL

/// What a unit's program shows beside its messages. Texts are printable.
public enum ProgramOutput: Sendable, Hashable {
    case line(String)
    case raised(ProgramFault)
    /// The unit stands at its prompt.
    case ended

    init(_ event: ConsoleReader.Event) {
        self = switch event {
        case .line(let line): .line(line)
        case .raised(let exception): .raised(ProgramFault(exception))
        case .ended: .ended
        }
    }
}

/// An exception or error that nobody caught, or that the program printed.
public struct ProgramFault: Sendable, Hashable {
    /// Such as `ValueError: data will overflow the space reserved for the app`.
    public let lastLine: String
    /// Lines parted by `\n`; the last one is ``lastLine``.
    public let traceback: String

    public init(_ exception: PythonException) { (lastLine, traceback) = (exception.lastLine, exception.traceback) }

    public init(_ exception: LuaException) { (lastLine, traceback) = (exception.programMessage, exception.programMessage) }
}
