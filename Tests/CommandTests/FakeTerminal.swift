import Bluetooth
import Foundation
import Support
import Synchronization
import Testing

@testable import noafw

/// A terminal in-process, and the person in front of it: what is written is waited for and answered with keys.
final class FakeTerminal: Sendable {
    private struct State {
        var columns = 80
        var screen = ""
        /// How far ``waitFor(_:)`` has read, in bytes of UTF-8.
        var position = 0
        var typed: [[UInt8]?] = []
        var isWanted = false
        var sink: TextSource.Sink?

        mutating func reads(_ text: String) -> Bool {
            let rest = String(decoding: screen.utf8.dropFirst(position), as: UTF8.self)
            guard let found = rest.range(of: text) else { return false }
            position += rest.utf8.distance(from: rest.startIndex, to: found.upperBound)
            return true
        }
    }

    private let state = Mutex(State())
    private let changes = Inbox<Void>()

    var screen: String { state.withLock { $0.screen } }
    func resize(columns: Int) { state.withLock { $0.columns = columns } }

    /// A context whose three streams are this terminal.
    func attach(_ context: CommandContext) -> CommandContext {
        let sink = TextSink(
            isTerminal: true, columns: { [self] in state.withLock { $0.columns } },
            write: { [self] text in
                state.withLock { $0.screen += text }
                changes.deliver(())
            })
        var context = context
        (context.output, context.diagnostics) = (sink, sink)
        context.input = TextSource(isTerminal: true) { [self] _, sink in
            state.withLock { $0.sink = sink }
            return Keyboard(terminal: self)
        }
        return context
    }

    func waitFor(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let deadline = SessionClock.continuous.deadline(in: .seconds(60))
        while !state.withLock({ $0.reads(text) }) {
            guard try await changes.next(before: deadline, on: .continuous) != nil else {
                Issue.record("'\(text)' did not appear in: \(screen.debugDescription)", sourceLocation: sourceLocation)
                throw CancellationError()
            }
        }
    }

    func type(_ text: String) { type(Array(text.utf8)) }

    /// Ctrl-D at a terminal that edits its lines.
    func endInput() { type(nil) }

    private func type(_ bytes: [UInt8]?) {
        state.withLock { $0.typed.append(bytes) }
        deliver()
    }

    /// A piece is handed over when it is asked for.
    private func deliver() {
        let next = state.withLock { state -> (TextSource.Sink, [UInt8]?)? in
            guard state.isWanted, let sink = state.sink, !state.typed.isEmpty else { return nil }
            state.isWanted = false
            return (sink, state.typed.removeFirst())
        }
        if let (sink, bytes) = next { sink(bytes) }
    }

    private struct Keyboard: TypedInput {
        let terminal: FakeTerminal

        func more() {
            terminal.state.withLock { $0.isWanted = true }
            terminal.deliver()
        }

        func close() { terminal.state.withLock { ($0.sink, $0.isWanted) = (nil, false) } }
    }
}
