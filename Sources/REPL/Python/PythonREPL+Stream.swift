import Bluetooth
import Support
import Synchronization

/// What code prints, as it comes, until its end (micropython, `shared/runtime/pyexec.c`).
struct RawOutputStream: Sendable {
    enum Event: Sendable, Hashable {
        case output([UInt8])
        /// The traceback; empty when the code ran to its end.
        case ended([UInt8])
    }

    /// Bytes of a traceback; the rest of a longer one is dropped.
    private static let tracebackLimit = 8192

    private enum State: Sendable { case waiting([UInt8]), output, traceback, prompt, over }

    private var state = State.waiting([])
    private var traceback: [UInt8] = []

    mutating func receive(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            switch state {
            case .waiting(let seen):
                let byte = rest.removeFirst()
                let recent = seen.suffix(1) + [byte]
                state = recent.elementsEqual("OK".utf8) ? .output : .waiting(Array(recent))
            case .output:
                let end = rest.firstIndex(of: Control.execute) ?? rest.endIndex
                if end > rest.startIndex { events.append(.output(Array(rest[..<end]))) }
                if end < rest.endIndex { state = .traceback }
                rest = rest[min(end + 1, rest.endIndex)...]
            case .traceback:
                let end = rest.firstIndex(of: Control.execute) ?? rest.endIndex
                traceback += rest[..<end].prefix(Self.tracebackLimit - traceback.count)
                if end < rest.endIndex { state = .prompt }
                rest = rest[min(end + 1, rest.endIndex)...]
            case .prompt:
                rest.removeFirst()
                state = .over
                events.append(.ended(traceback))
            case .over: return events
            }
        }
        return events
    }
}

extension PythonREPL {
    /// The unit takes code of any length while nothing runs, but keeps it whole in its heap of 40 kB (monocle-micropython, `main.c`).
    public static let codeLimit = 24_576

    /// Runs code and passes on what it prints as it comes.
    /// - Parameter within: for the unit to take the code; it may run for ever.
    /// - Returns: its exception; `nil` when it ran to its end. The session then stays in step.
    public func stream(
        _ code: PythonCode, within: Duration, output: ([UInt8]) -> Void
    ) async throws -> PythonException? {
        guard code.bytes.count <= Self.codeLimit else { throw REPLError.codeTooLong(byteCount: code.bytes.count, limit: Self.codeLimit) }
        try begin()
        try await send(bytes: code.bytes + [Control.execute], before: clock.deadline(in: within))
        var stream = RawOutputStream()
        while true {
            let bytes = try await nextBytes(before: clock.deadline(in: .forever), awaiting: "the end of the code")
            for event in stream.receive(bytes) {
                switch event {
                case .output(let bytes): output(bytes)
                case .ended(let traceback):
                    state.withLock { state in
                        state.isInStep = true
                        // Whatever ran may have removed them.
                        state.forgetHelpers()
                    }
                    return traceback.isEmpty ? nil : PythonException(standardError: traceback)
                }
            }
        }
    }
}
