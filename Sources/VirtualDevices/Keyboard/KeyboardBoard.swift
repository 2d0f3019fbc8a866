import Synchronization

/// What the keyboard's HTTP server shares with the program that types: the layout, and the last commands and keys.
package final class KeyboardBoard: Sendable {
    private struct State {
        var layout = KeyboardLayoutName.swissGerman
        var commands: [[UInt8]] = []
        var keys: [[UInt8]] = []
    }

    /// `debug_server.c`: DEBUG_TRACE_SIZE and DEBUG_TRACE_MSG_LEN with its end.
    private static let places = 20
    private static let longest = 63

    private let state = Mutex(State())

    package init() {}

    package var layout: KeyboardLayoutName {
        get { state.withLock { $0.layout } }
        set { state.withLock { $0.layout = newValue } }
    }

    /// `GET /trace`, the oldest first: bytes, as a text may be cut inside a character.
    package var trace: (commands: [[UInt8]], keys: [[UInt8]]) { state.withLock { ($0.commands, $0.keys) } }

    /// The unit starts: nothing of it lives through that.
    func restart() { state.withLock { $0 = State() } }

    func noteCommand(_ text: [UInt8]) { state.withLock { Self.keep(text, in: &$0.commands) } }
    func noteKey(_ text: [UInt8]) { state.withLock { Self.keep(text, in: &$0.keys) } }

    private static func keep(_ text: [UInt8], in list: inout [[UInt8]]) {
        // As C prints it: up to the first zero.
        list.append(Array(text.prefix { $0 != 0 }.prefix(longest)))
        if list.count > places { list.removeFirst() }
    }
}
