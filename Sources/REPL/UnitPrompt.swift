// Errors, clock and connection are part of this module's interface.
@_exported import Bluetooth
import Support

/// A session at a unit's Python or Lua prompt. One task uses it at a time.
public protocol UnitPrompt: Sendable {
    /// Of the fastest command.
    var roundTrip: Duration { get }
    func recover(within: Duration) async throws
    /// Starts the unit's program again even if the caller is cancelled, whatever the session was doing.
    func putBack(within limit: Duration) async
    func close() async
}

extension UnitPrompt {
    /// Asks once more, from a fresh prompt, when an answer was lost or damaged.
    public func insisting<Answer>(within: Duration, _ ask: () async throws -> Answer) async throws -> Answer {
        do {
            return try await ask()
        } catch REPLError.timedOut, REPLError.garbage, REPLError.unreadable {
            try await recover(within: within)
            return try await ask()
        }
    }
}

extension PythonREPL: UnitPrompt {}
extension LuaREPL: UnitPrompt {}

/// The shortest time for a command and its answer; initially an estimate from BlueZ's first connection interval.
struct RoundTrip: Sendable {
    private var seen: Duration?

    var duration: Duration { seen ?? .milliseconds(90) }

    mutating func note(_ duration: Duration) { seen = min(seen ?? duration, duration) }
}
