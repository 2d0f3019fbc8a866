import Bluetooth
import Support

/// The error that a unit's Python reported; untrusted but printable.
public struct PythonException: Sendable, Hashable {
    /// Such as `ValueError: data will overflow the space reserved for the app`.
    public let lastLine: String
    /// The end of the traceback: at most 2000 bytes, lines separated by `\n`.
    public let traceback: String

    init(standardError: [UInt8]) {
        traceback = PrintableText.of(standardError.suffix(2000), keepingLines: true)
        lastLine = String(traceback.split(separator: "\n").last ?? "unknown exception")
    }

    /// Of a line alone: nothing of it ran.
    var isUnparsed: Bool { isOneOf("SyntaxError", "IndentationError") }

    /// No code of ours raises it as it was sent: it parses, and its own names (`_n…`) are there.
    var showsDamagedCode: Bool { isUnparsed || isOneOf("NameError", "AttributeError") && lastLine.contains("'_n") }

    private func isOneOf(_ names: String...) -> Bool { names.contains { lastLine.hasPrefix("\($0):") } }
}

/// What can go wrong at a unit's REPL. The link's own errors pass through as ``LinkError``.
public enum REPLError: Error, Hashable, Sendable {
    case noPrompt
    case exception(PythonException)
    case garbage(String)
    case outputOverflow(limit: Int)
    case forbiddenByte(UInt8, offset: Int)
    case timedOut(String)
    /// An answer without its checksum; the argument is its printable end.
    case unreadable(String)
    /// What the unit's firmware lacks, such as `hashlib.sha256`; printable.
    case lacking(String)
    case lua(LuaException)
    case programDoesNotStop
    /// The printable argument describes the symptom.
    case programInTheWay(String)
    case payloadTooSmall(Int, least: Int)
    case codeTooLong(byteCount: Int, limit: Int)
}

extension REPLError {
    /// A wait failed, and `recover` has not run since.
    static let outOfStep = REPLError.garbage("an answer: an earlier one never came")
    /// A break, or an error in the helper, ended a command before its answer.
    static let cutShort = REPLError.garbage("an answer: a command was cut short")
    static let damaged = REPLError.garbage("an answer: a command was damaged on its way")
    static let helperGone = REPLError.garbage("an answer: its Lua was restarted")

    public var isOutOfMemory: Bool {
        switch self {
        case .exception(let exception): exception.lastLine.hasPrefix("MemoryError")
        case .lua(let exception): exception.isMemoryError
        default: false
        }
    }

    /// What a unit's Python lacks, according to the exception; `nil` for other exceptions.
    static func lacking(in exception: PythonException) -> REPLError? {
        guard !exception.showsDamagedCode else { return nil }
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
            .init("REPL-0001", .unitFailed, .unit, "the unit does not show its Python prompt",
                cause: "its program does not let itself be interrupted", remedy: Self.withoutProgram + "power-cycle the unit")
        case .exception(let exception) where exception.showsDamagedCode: Self.unreadable(exception.lastLine).diagnosis
        case .exception(let exception):
            .init("REPL-0002", .unitFailed, .unit, "Python on the unit failed: \(exception.lastLine)",
                cause: "the firmware is too old, or the unit is out of memory or space",
                remedy: "power-cycle the unit and run the same command again; if it fails again, update the firmware")
        case .garbage(let expectation):
            .init("REPL-0003", .tryAgain, .radio, "the unit did not answer with \(expectation)",
                cause: "notifications were lost, or the unit restarted", remedy: again)
        case .outputOverflow(let limit):
            .init("REPL-0004", .unitFailed, .unit, "the unit printed more than \(limit) bytes",
                cause: "a program on the unit prints without end", remedy: "power-cycle the unit and run the same command again")
        case .forbiddenByte(let byte, let offset):
            .init("REPL-0005", .usage, nil, "code for the unit holds byte 0x\(String(byte, radix: 16)) at offset \(offset)",
                cause: "the unit would act on this byte instead of reading it", remedy: "escape it, or report this with the output of -v")
        case .timedOut(let what):
            .init("REPL-0007", .tryAgain, .radio, "timed out waiting for \(what)",
                cause: "data was lost on the air, or the unit is busy", remedy: again)
        case .unreadable(let answer):
            .init("REPL-0008", .tryAgain, .radio, "data to or from the unit arrived damaged: \(answer)",
                cause: "data was lost or altered on the air", remedy: again)
        case .lacking(let name):
            .init("REPL-0009", .unitFailed, .unit, "the unit's firmware has no \(name)",
                cause: "its program has replaced a module, or the firmware is older or newer than noafw knows, or not the vendor's",
                remedy: Self.withoutProgram + "update the firmware with noafw flash --only firmware")
        case .lua(let exception) where exception.isMemoryError: Self.programInTheWay(exception.message).diagnosis
        case .lua(let exception):
            .init("REPL-0010", .unitFailed, .unit, "Lua on the unit failed: \(exception.message)",
                cause: "the firmware is too old, or the unit is out of space",
                remedy: "run the same command again; if it fails again, update the firmware")
        case .programDoesNotStop:
            .init("REPL-0011", .unitFailed, .unit, "the program on the unit does not stop",
                cause: "it catches the break signal, or it hangs",
                remedy: "restart the unit and run the same command again; if that fails, " + LinkError.pairingReset)
        case .payloadTooSmall(let size, let least):
            .init("REPL-0012", .tryAgain, .radio, "the link takes \(size) bytes at once, and the unit's prompt needs \(least)",
                cause: "the MTU was not negotiated",
                remedy: "run the same command again; if it fails again, run: bluetoothctl remove ADDRESS")
        case .codeTooLong(let byteCount, let limit):
            .init("REPL-0013", .usage, nil, "code for the unit has \(byteCount) bytes, more than \(limit)",
                cause: "it is more than a command for the prompt", remedy: "put it into a script")
        case .programInTheWay(let words):
            .init("REPL-0014", .unitFailed, .unit, "the program on the unit does not let it be asked: \(words)",
                cause: "it holds the memory, or has replaced functions of the firmware or of Lua", remedy: Self.programRemedy)
        }
    }

    private static let withoutProgram = "replace the program: noafw flash --only scripts, with the files that the unit is to have, "
        + "restarts the unit without it; if that fails, "

    /// The remedy for a program that does not let a host in.
    public static let programRemedy = withoutProgram + LinkError.pairingReset
}

extension Diagnosis {
    /// The first names, and the number of the others.
    package static func list(_ names: [String]) -> String {
        names.prefix(8).joined(separator: ", ") + (names.count > 8 ? " and \(names.count - 8) more" : "")
    }
}
