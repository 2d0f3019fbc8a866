import Support
import Synchronization

/// Takes what is scanned or typed at the line, at any time, and keeps the next unit's serial number.
final class SerialDesk: Sendable {
    private struct State {
        var input = ScannerInput()
        var prompt: SerialPrompt
    }

    /// Raw terminals hand these to the program instead of a signal.
    private static let interrupt: UInt8 = 0x03
    private static let endOfInput: UInt8 = 0x04

    private let state: Mutex<State>
    private let typed = Mutex<(any TypedInput)?>(nil)

    /// - Parameter pattern: what a whole number has to match.
    init(pattern: TextPattern?) { state = Mutex(State(prompt: SerialPrompt(pattern: pattern))) }

    /// Reads until ``close()``.
    /// - Parameters:
    ///   - answer: receives the result of each scan.
    ///   - interrupt: Ctrl-C.
    ///   - end: Ctrl-D or the input's end.
    func open(
        _ source: TextSource, answer: @escaping @Sendable (SerialPrompt.Answer) -> Void, interrupt: @escaping @Sendable () -> Void,
        end: @escaping @Sendable () -> Void
    ) throws {
        let input = try source.open(source.isTerminal ? .keys : .lines) { [self] bytes in
            guard let bytes else { return end() }
            // A person presses them alone. Within what a scanner types they frame a code.
            if source.isTerminal, bytes.allSatisfy({ $0 == Self.interrupt || $0 == Self.endOfInput }) {
                if bytes.contains(Self.interrupt) { interrupt() } else { end() }
            }
            for each in take(bytes) { answer(each) }
            typed.withLock { $0 }?.more()
        }
        typed.withLock { $0 = input }
        input.more()
    }

    func close() { typed.withLock { $0 }?.close() }

    func take(_ bytes: [UInt8]) -> [SerialPrompt.Answer] {
        state.withLock { state in state.input.feed(bytes).map { state.prompt.take($0) } }
    }

    /// The next unit's number.
    var held: String? { state.withLock { if case .held(let serial) = $0.prompt.state { serial } else { nil } } }

    func begin() { state.withLock { $0.prompt.begin() } }
    func end(passed: Bool) { state.withLock { $0.prompt.end(passed: passed) } }
    func drop() { state.withLock { $0.prompt.drop() } }
}
