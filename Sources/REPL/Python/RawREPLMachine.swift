struct PythonAnswer: Sendable, Hashable {
    var standardOutput: [UInt8] = []
    /// A traceback; empty when the code ran to its end.
    var standardError: [UInt8] = []
}

/// The host's side of MicroPython's raw REPL, from the first proven prompt on.
///
/// The answer to each piece of code is, in order, `OK`, output, 0x04, traceback, 0x04 and the prompt `>` (micropython,
/// `shared/runtime/pyexec.c`). Bytes between a prompt and the next `OK` are output of callbacks and are discarded.
struct RawREPLMachine: Sendable {
    enum Event: Sendable, Hashable {
        /// The unit has read a whole piece of code and begins to run it.
        case accepted
        case answered(PythonAnswer)
    }

    private enum State: Sendable {
        case between(skipped: [UInt8])
        case output(PythonAnswer)
        case traceback(PythonAnswer)
        case prompt(PythonAnswer)
    }

    private let outputLimit: Int
    var inFlight = 0
    private var state = State.between(skipped: [])

    /// What the running code has printed so far.
    var output: [UInt8] { if case .output(let answer) = state { answer.standardOutput } else { [] } }

    init(outputLimit: Int = 256 * 1024) { self.outputLimit = outputLimit }

    /// The machine is unusable after an error.
    mutating func receive(_ bytes: [UInt8]) throws -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        while let byte = rest.first {
            switch state {
            case .between(let skipped):
                rest.removeFirst()
                if let event = try skip(byte, after: skipped) { events.append(event) }
            case .output(let answer):
                rest = try take(rest, into: answer, at: \.standardOutput) { .traceback($0) }
            case .traceback(let answer):
                rest = try take(rest, into: answer, at: \.standardError) { .prompt($0) }
            case .prompt(let answer):
                guard byte == UInt8(ascii: ">") else { throw REPLError.garbage("the prompt after an answer") }
                rest.removeFirst()
                inFlight -= 1
                state = .between(skipped: [])
                events.append(.answered(answer))
            }
        }
        return events
    }

    private mutating func skip(_ byte: UInt8, after skipped: [UInt8]) throws -> Event? {
        let recent = skipped.suffix(Control.banner.count - 1) + [byte]
        if inFlight > 0, recent.suffix(2) == [UInt8(ascii: "O"), UInt8(ascii: "K")] {
            state = .output(PythonAnswer())
            return .accepted
        }
        if recent.elementsEqual(Control.banner) { throw REPLError.garbage("an answer: it restarted its prompt") }
        state = .between(skipped: Array(recent))
        return nil
    }

    private mutating func take(
        _ bytes: ArraySlice<UInt8>, into answer: PythonAnswer, at stream: WritableKeyPath<PythonAnswer, [UInt8]>,
        then next: (PythonAnswer) -> State
    ) throws -> ArraySlice<UInt8> {
        let end = bytes.firstIndex(of: Control.execute) ?? bytes.endIndex
        let length = answer.standardOutput.count + answer.standardError.count + (end - bytes.startIndex)
        guard length <= outputLimit else { throw REPLError.outputOverflow(limit: outputLimit) }
        var longer = answer
        longer[keyPath: stream] += bytes[..<end]
        guard end < bytes.endIndex else {
            state = stream == \PythonAnswer.standardOutput ? .output(longer) : .traceback(longer)
            return []
        }
        state = next(longer)
        return bytes[(end + 1)...]
    }
}
