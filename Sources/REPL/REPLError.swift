import Bluetooth
import Support

/// What a unit's Python said when code failed; untrusted, but printable.
public struct PythonException: Sendable, Hashable {
    /// Such as `ValueError: data will overflow the space reserved for the app`.
    public let lastLine: String
    /// The end of the traceback, at most 2000 bytes, lines parted by `\n`.
    public let traceback: String

    init(standardError: [UInt8]) {
        traceback = PrintableText.of(standardError.suffix(2000), keepingLines: true)
        lastLine = String(traceback.split(separator: "\n").last ?? "unknown exception")
    }
}

/// What can go wrong at the REPL of a unit; the link's own errors pass through as ``LinkError``.
public enum REPLError: Error, Hashable, Sendable {
    case noPrompt
    case exception(PythonException)
    case garbage(String)
    case outputOverflow(limit: Int)
    case forbiddenByte(UInt8, offset: Int)
    case timedOut(String)
    /// An answer without its checksum; the argument is its end, printable.
    case unreadable(String)
    /// What the unit's firmware does not have, such as `hashlib.sha256`; printable.
    case lacking(String)
    case lua(LuaException)
    case programDoesNotStop
    /// The argument, printable, says how that shows.
    case programInTheWay(String)
    case payloadTooSmall(Int, least: Int)
    case codeTooLong(byteCount: Int, limit: Int)
}

extension REPLError {
    /// An earlier wait failed, without `recover` since.
    static let outOfStep = REPLError.garbage("an answer: an earlier one never came")
    /// A break, or an error of what answers are made of, ended a command before it had an answer.
    static let cutShort = REPLError.garbage("an answer: a command was cut short")
    static let helperGone = REPLError.garbage("an answer: its Lua was restarted")

    public var isOutOfMemory: Bool {
        switch self {
        case .exception(let exception): exception.lastLine.hasPrefix("MemoryError")
        case .lua(let exception): exception.isMemoryError
        default: false
        }
    }

    /// What a unit's Python misses, by what it raised; `nil` when it raised something else.
    static func lacking(in exception: PythonException) -> REPLError? {
        let line = exception.lastLine
        let ours = "NotImplementedError: no "
        if line.hasPrefix(ours) { return .lacking(String(line.dropFirst(ours.count))) }
        guard line.hasPrefix("AttributeError:") || line.hasPrefix("ImportError:") else { return nil }
        return .lacking("what was asked for (\(line))")
    }
}

extension REPLError: DiagnosableError {
    public var obstacle: Obstacle? {
        switch self {
        case .timedOut: .silence
        case .exception where isOutOfMemory, .lua where isOutOfMemory: .memory
        case .noPrompt, .programDoesNotStop, .programInTheWay, .lacking: .program
        case .exception, .garbage, .outputOverflow, .unreadable, .lua, .payloadTooSmall: .garbage
        case .forbiddenByte, .codeTooLong: nil
        }
    }

    public var diagnosis: Diagnosis {
        let again = "run the same command again; it continues where it stopped"
        return switch self {
        case .noPrompt:
            .row("REPL-0001", .unitFailed, .unit, "the unit does not show its Python prompt",
                "its program does not let itself be interrupted", Self.withoutProgram + "power-cycle the unit")
        case .exception(let exception):
            .row("REPL-0002", .unitFailed, .unit, "Python on the unit failed: \(exception.lastLine)",
                "the firmware is too old, or the unit is out of memory or space",
                "power-cycle the unit and run the same command again; if it fails again, update the firmware")
        case .garbage(let expectation):
            .row("REPL-0003", .tryAgain, .unit, "the unit did not answer with \(expectation)",
                "notifications were lost, or the unit restarted", again)
        case .outputOverflow(let limit):
            .row("REPL-0004", .unitFailed, .unit, "the unit printed more than \(limit) bytes",
                "a program on the unit prints without end", "power-cycle the unit and run the same command again")
        case .forbiddenByte(let byte, let offset):
            .row("REPL-0005", .usage, nil, "code for the unit holds byte 0x\(String(byte, radix: 16)) at offset \(offset)",
                "the unit would act on this byte instead of reading it", "escape it, or report this with the output of -v")
        case .timedOut(let what):
            .row("REPL-0007", .tryAgain, .unit, "timed out waiting for \(what)",
                "data was lost on the air, or the unit is busy", again)
        case .unreadable(let answer):
            .row("REPL-0008", .tryAgain, .unit, "an answer from the unit arrived damaged: \(answer)",
                "data was lost or altered on the air", again)
        case .lacking(let name):
            .row("REPL-0009", .unitFailed, .unit, "the unit's firmware has no \(name)",
                "its program has replaced a module, or the firmware is older or newer than noafw knows, or not the vendor's",
                Self.withoutProgram + "update the firmware with noafw flash --only firmware")
        case .lua(let exception) where exception.isMemoryError: Self.programInTheWay(exception.message).diagnosis
        case .lua(let exception):
            .row("REPL-0010", .unitFailed, .unit, "Lua on the unit failed: \(exception.message)",
                "the firmware is too old, or the unit is out of space",
                "run the same command again; if it fails again, update the firmware")
        case .programDoesNotStop:
            .row("REPL-0011", .unitFailed, .unit, "the program on the unit does not stop",
                "it catches the break signal, or it hangs",
                "restart the unit and run the same command again; if that fails, reset the unit's pairing "
                    + "(Frame: press the button of its cradle while it charges), which erases its scripts, too")
        case .payloadTooSmall(let size, let least):
            .row("REPL-0012", .tryAgain, .unit, "the link takes \(size) bytes at once, and the unit's prompt needs \(least)",
                "the MTU was not negotiated", "run the same command again; if it fails again, run: bluetoothctl remove ADDRESS")
        case .codeTooLong(let byteCount, let limit):
            .row("REPL-0013", .usage, nil, "code for the unit has \(byteCount) bytes, more than \(limit)",
                "it is more than a command for the prompt", "put it into a script")
        case .programInTheWay(let words):
            .row("REPL-0014", .unitFailed, .unit, "the program on the unit does not let it be asked: \(words)",
                "it holds the memory, or has replaced functions of the firmware or of Lua", Self.programRemedy)
        }
    }

    private static let withoutProgram = "replace the program: noafw flash --only scripts, with the files that the unit is to have, "
        + "restarts the unit without it; if that fails, "

    /// For a program that does not let a host in, whatever a unit runs.
    public static let programRemedy = withoutProgram
        + "reset the unit's pairing (Frame: press the button of its cradle while it charges), which erases its scripts"
}

extension Diagnosis {
    /// The first names, and how many there are more.
    package static func list(_ names: [String]) -> String {
        names.prefix(8).joined(separator: ", ") + (names.count > 8 ? " and \(names.count - 8) more" : "")
    }

    /// A row of a module's table of errors.
    package static func row(
        _ code: String, _ category: Category, _ fault: Fault?, _ message: String, _ cause: String, _ remedy: String
    ) -> Diagnosis {
        Diagnosis(code: code, category: category, fault: fault, message: message, cause: cause, remedy: remedy)
    }
}
