import Support

/// Splits what a unit's program prints into harmless lines, exceptions, and the prompt after its end.
///
/// In MicroPython's released version (`py/obj.c`, `shared/runtime/pyexec.c`) a traceback begins with a line of its own and ends
/// with the first line that is not indented; the banner and `>>> ` follow `main.py`.
public struct ConsoleReader: Sendable {
    public enum Event: Sendable, Hashable {
        /// Printable; a line of more than 500 bytes is split.
        case line(String)
        /// Follows the lines of its traceback.
        case raised(PythonException)
        /// The program has ended; the unit is at its friendly prompt.
        case ended
    }

    private static let lineLimit = 500
    private static let tracebackLimit = 2000
    private static let header = "Traceback (most recent call last):"
    private static let banner = "MicroPython v"
    private static let help = "Type \"help()\" for more information."
    private static let prompt = Array(">>> ".utf8)

    private var line: [UInt8] = []
    /// The last bytes before it on the same line.
    private var before: [UInt8] = []
    /// From the header of a traceback on.
    private var traceback: [UInt8]?
    private var previous = ""
    /// The banner's lines so far. A program may print the same; only the prompt right after them is proof.
    private var held: [[UInt8]] = []
    private var hasRaised = false

    public init() {}

    public mutating func receive(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            if byte == 0x0A {
                endLine(&events)
                before = []
            } else {
                line.append(byte)
                if line.count >= Self.lineLimit {
                    let end = (before + line).suffix(Self.header.utf8.count)
                    endLine(&events)
                    before = Array(end)
                }
            }
            if held.count == 2, line == Self.prompt { end(&events) }
        }
        return events
    }

    private mutating func end(_ events: inout [Event]) {
        // Without memory for a traceback MicroPython prints only the exception.
        if !hasRaised, Self.looksLikeException(previous) { raise(Array(previous.utf8), &events) }
        (line, held, traceback, hasRaised) = ([], [], nil, false)
        events.append(.ended)
    }

    private mutating func endLine(_ events: inout [Event]) {
        defer { line = [] }
        let text = PrintableText.of(line)
        if held.count == 1, text == Self.help { return held.append(line) }
        for earlier in held { show(earlier, &events) }
        held = text.hasPrefix(Self.banner) ? [line] : []
        if held.isEmpty { show(line, &events) }
    }

    private mutating func show(_ line: [UInt8], _ events: inout [Event]) {
        let text = PrintableText.of(line)
        previous = text
        events.append(.line(text))
        // A print without a line end may precede it.
        if PrintableText.of(before + line).hasSuffix(Self.header) {
            traceback = Array(Self.header.utf8)
        } else if let begun = traceback {
            let whole = (begun + [0x0A] + line).suffix(Self.tracebackLimit)
            if line.first == 0x20 {
                traceback = Array(whole)
            } else {
                traceback = nil
                raise(Array(whole), &events)
            }
        }
    }

    private mutating func raise(_ text: [UInt8], _ events: inout [Event]) {
        hasRaised = true
        events.append(.raised(PythonException(standardError: text)))
    }

    private static func looksLikeException(_ line: String) -> Bool {
        let name = line.prefix { $0 != ":" }
        return name.count < line.count && (name.hasSuffix("Error") || name == "KeyboardInterrupt" || name == "Exception")
            && name.allSatisfy { $0.isASCII && $0.isLetter }
    }
}
