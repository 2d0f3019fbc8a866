import Bluetooth
import Support

/// What a unit's Python had to say when code failed. Both texts are untrusted but hold printable characters only.
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
    /// No raw prompt within the deadline.
    case noPrompt
    case exception(PythonException)
    /// The argument says what was expected.
    case garbage(String)
    case outputOverflow(limit: Int)
    case forbiddenByte(UInt8, offset: Int)
    /// An earlier wait failed, and `recover` was not called since.
    case outOfStep
    /// The argument names what was waited for.
    case timedOut(String)
    /// An answer does not carry its checksum; the argument is its end, printable.
    case unreadable(String)
    /// The argument names what the unit's firmware does not have, such as `hashlib.sha256`; printable.
    case lacking(String)
    /// Lua code failed.
    case lua(LuaException)
    /// The program catches the break signal, or hangs where none reaches it.
    case programDoesNotStop
    /// The program has replaced what a host asks the unit with, or holds its memory; the argument says what came of that, printable.
    case programInTheWay(String)
    /// The link's payload is too small for a command and its answer, in bytes.
    case payloadTooSmall(Int, least: Int)
    case codeTooLong(byteCount: Int, limit: Int)
}

extension REPLError {
    /// A command was ended before it had an answer: by a break, or by an error of what answers are made of.
    static let cutShort = REPLError.garbage("an answer: a command was cut short")

    /// The unit's heap is full.
    public var isOutOfMemory: Bool {
        switch self {
        case .exception(let exception): exception.lastLine.hasPrefix("MemoryError")
        case .lua(let exception): exception.isMemoryError
        default: false
        }
    }

    /// What a unit's Python misses, told from what it raised; `nil` when it raised something else.
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
        case .exception, .garbage, .outputOverflow, .outOfStep, .unreadable, .lua, .payloadTooSmall: .garbage
        case .forbiddenByte, .codeTooLong: nil
        }
    }

    public var diagnosis: Diagnosis {
        let again = "run the same command again; it continues where it stopped"
        return switch self {
        case .noPrompt:
            unit("REPL-0001", .unitFailed, "the unit does not show its Python prompt",
                 cause: "its program does not let itself be interrupted",
                 remedy: Self.withoutProgram + "power-cycle the unit")
        case .exception(let exception):
            unit("REPL-0002", .unitFailed, "Python on the unit failed: \(exception.lastLine)",
                 cause: "the firmware is too old, or the unit is out of memory or space",
                 remedy: "power-cycle the unit and run the same command again; if it fails again, update the firmware")
        case .garbage(let expectation):
            unit("REPL-0003", .tryAgain, "the unit did not answer with \(expectation)",
                 cause: "notifications were lost, or the unit restarted", remedy: again)
        case .outputOverflow(let limit):
            unit("REPL-0004", .unitFailed, "the unit printed more than \(limit) bytes",
                 cause: "a program on the unit prints without end",
                 remedy: "power-cycle the unit and run the same command again")
        case .forbiddenByte(let byte, let offset):
            Diagnosis(
                code: "REPL-0005", category: .usage, fault: nil,
                message: "code for the unit holds byte 0x\(String(byte, radix: 16)) at offset \(offset)",
                cause: "the unit would act on this byte instead of reading it",
                remedy: "escape it, or report this with the output of -v")
        case .outOfStep:
            unit("REPL-0006", .tryAgain, "the session with the unit is out of step",
                 cause: "an earlier answer never came", remedy: again)
        case .timedOut(let what):
            unit("REPL-0007", .tryAgain, "timed out waiting for \(what)",
                 cause: "data was lost on the air, or the unit is busy", remedy: again)
        case .unreadable(let answer):
            unit("REPL-0008", .tryAgain, "an answer from the unit arrived damaged: \(answer)",
                 cause: "data was lost or altered on the air", remedy: again)
        case .lacking(let name):
            unit("REPL-0009", .unitFailed, "the unit's firmware has no \(name)",
                 cause: "its program has replaced a module, or the firmware is older or newer than noafw knows, or not the vendor's",
                 remedy: Self.withoutProgram + "update the firmware with noafw flash --only firmware")
        case .lua(let exception) where exception.isMemoryError: Self.programInTheWay(exception.message).diagnosis
        case .lua(let exception):
            unit("REPL-0010", .unitFailed, "Lua on the unit failed: \(exception.message)",
                 cause: "the firmware is too old, or the unit is out of space",
                 remedy: "run the same command again; if it fails again, update the firmware")
        case .programDoesNotStop:
            unit("REPL-0011", .unitFailed, "the program on the unit does not stop",
                 cause: "it catches the break signal, or it hangs",
                 remedy: "restart the unit and run the same command again; if that fails, " + LinkError.pairingReset)
        case .programInTheWay(let words):
            unit("REPL-0014", .unitFailed, "the program on the unit does not let it be asked: \(words)",
                 cause: "it holds the memory, or has replaced functions of the firmware or of Lua",
                 remedy: Self.programRemedy)
        case .payloadTooSmall(let size, let least):
            unit("REPL-0012", .tryAgain, "the link takes \(size) bytes at once, and the unit's prompt needs \(least)",
                 cause: "the MTU was not negotiated",
                 remedy: "run the same command again; if it fails again, run: bluetoothctl remove ADDRESS")
        case .codeTooLong(let byteCount, let limit):
            Diagnosis(
                code: "REPL-0013", category: .usage, fault: nil,
                message: "code for the unit has \(byteCount) bytes, more than \(limit)",
                cause: "it is more than a command for the prompt", remedy: "put it into a script")
        }
    }

    private static let withoutProgram = "replace the program: noafw flash --only scripts, with the files that the unit is to have, "
        + "restarts the unit without it; if that fails, "

    /// For a program that does not let a host in, whatever a unit runs.
    public static let programRemedy = withoutProgram + LinkError.pairingReset

    private func unit(
        _ code: String, _ category: Diagnosis.Category, _ message: String, cause: String, remedy: String
    ) -> Diagnosis {
        Diagnosis(code: code, category: category, fault: .unit, message: message, cause: cause, remedy: remedy)
    }
}
