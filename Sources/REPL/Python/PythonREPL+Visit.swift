import Bluetooth
import Support

extension PythonREPL {
    /// Ctrl-C waits for it.
    public static let farewell = Duration.seconds(2)
    /// One start, of which the farewell has room for a second.
    private static let startTimeout = Duration.milliseconds(900)

    /// Runs `body` at a unit's raw prompt, then ends the session. What ends early, cancelled or not, leaves the unit's program
    /// running, also when the prompt was still being sought: it may have been interrupted already.
    /// - Parameter leavesProgram: the unit is left as `body` leaves it, whatever ends it.
    public static func visit<Value: Sendable>(
        _ connection: any Connection, clock: SessionClock, within: Duration, leavesProgram: Bool = false,
        _ body: (PythonREPL) async throws -> Value
    ) async throws -> Value {
        let repl: PythonREPL
        do {
            repl = try await attach(to: connection, clock: clock, within: within)
        } catch {
            if !leavesProgram {
                await clock.shielded(for: farewell) {
                    let repl = try await attach(to: connection, clock: clock, within: farewell)
                    try await repl.startOnTheWayOut()
                }
            }
            throw error
        }
        do {
            let value = try await body(repl)
            await repl.close()
            return value
        } catch {
            if !leavesProgram { await repl.putBack() }
            await repl.close()
            throw error
        }
    }

    /// Starts the unit's program again although the caller is cancelled, whatever the session was doing.
    public func putBack(within limit: Duration = farewell) async {
        await clock.shielded(for: limit) { [self] in
            try await recover(within: limit)
            try await startOnTheWayOut()
        }
    }

    private func startOnTheWayOut() async throws {
        _ = try await insisting(within: Self.farewell) { try await start(within: Self.startTimeout) }
    }
}
