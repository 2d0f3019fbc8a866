/// The host's side of MicroPython's raw REPL, from the first proven prompt on.
///
/// The answer to each piece of code is, in order, `OK`, output, 0x04, traceback, 0x04 and the prompt `>` (micropython,
/// `shared/runtime/pyexec.c`). Bytes between a prompt and the next `OK` are output of callbacks and are discarded.
struct RawREPLMachine: Sendable {
    enum Event: Sendable, Hashable {
        /// The unit has read a whole piece of code and begins to run it.
        case accepted
        /// What the code prints, as it comes.
        case printed([UInt8])
        /// The code has ended. A traceback, its first 65,536 bytes; empty when it ran to its end.
        case answered([UInt8])
    }

    private enum State: Sendable {
        /// What came last.
        case between([UInt8])
        case output(count: Int)
        case traceback([UInt8])
        case prompt([UInt8])
    }

    private static let prompt = UInt8(ascii: ">")
    private static let tracebackLimit = 65_536

    private let outputLimit: Int
    var inFlight: Int
    private var state = State.between([])

    /// - Parameter outputLimit: bytes that one piece of code may print.
    init(outputLimit: Int = 256 * 1024, inFlight: Int = 0) { (self.outputLimit, self.inFlight) = (outputLimit, inFlight) }

    /// The machine is unusable after an error.
    mutating func receive(_ bytes: [UInt8]) throws -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        while let byte = rest.first {
            switch state {
            case .between(let recent):
                rest.removeFirst()
                if let event = try skip(byte, after: recent) { events.append(event) }
            case .output(let count):
                let printed = Self.take(&rest)
                guard count + printed.bytes.count <= outputLimit else { throw REPLError.outputOverflow(limit: outputLimit) }
                if !printed.bytes.isEmpty { events.append(.printed(printed.bytes)) }
                state = printed.isWhole ? .traceback([]) : .output(count: count + printed.bytes.count)
            case .traceback(let begun):
                let more = Self.take(&rest)
                let traceback = begun + more.bytes.prefix(Self.tracebackLimit - begun.count)
                // No traceback begins with a prompt: one of the two ends was damaged.
                guard !traceback.prefix(2).contains(Self.prompt) else { throw REPLError.garbage("a whole answer") }
                state = more.isWhole ? .prompt(traceback) : .traceback(traceback)
            case .prompt(let traceback):
                guard byte == Self.prompt else { throw REPLError.garbage("the prompt after an answer") }
                rest.removeFirst()
                inFlight -= 1
                state = .between([])
                events.append(.answered(traceback))
            }
        }
        return events
    }

    private mutating func skip(_ byte: UInt8, after earlier: [UInt8]) throws -> Event? {
        let recent = earlier.suffix(Control.banner.count - 1) + [byte]
        if inFlight > 0, recent.suffix(2) == [UInt8(ascii: "O"), UInt8(ascii: "K")] {
            state = .output(count: 0)
            return .accepted
        }
        if inFlight > 0, recent.suffix(2) == [Control.execute, Self.prompt] { throw REPLError.garbage("a whole answer") }
        if recent.elementsEqual(Control.banner) { throw REPLError.garbage("an answer: it restarted its prompt") }
        state = .between(Array(recent))
        return nil
    }

    private static func take(_ bytes: inout ArraySlice<UInt8>) -> (bytes: [UInt8], isWhole: Bool) {
        let end = bytes.firstIndex(of: Control.execute)
        defer { bytes = end.map { bytes[($0 + 1)...] } ?? [] }
        return (Array(bytes[..<(end ?? bytes.endIndex)]), end != nil)
    }
}
