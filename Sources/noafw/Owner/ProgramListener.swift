import Bluetooth
import Provisioning
import REPL
import Support

/// What a unit's program says; untrusted but printable.
enum ProgramSaid: Sendable, Hashable {
    case line(String)
    /// - isShown: its lines came before.
    case error(String, isShown: Bool)
    /// The unit is at its prompt.
    case ended
}

/// Listens to a unit's program over a link, without interrupting it.
struct ProgramListener: Sendable {
    private static let subscriptionTimeout = Duration.seconds(20)

    let clock: SessionClock
    let show: @Sendable (ProgramSaid) -> Void

    /// Starts the program anew.
    /// - Parameter ask: gets the console before.
    /// - Returns: what the program has printed already.
    static func restart(
        _ connection: any Connection, _ rules: ProvisioningRules, _ clock: SessionClock, ask: (any ProgramConsole) async throws -> Void
    ) async throws -> [UInt8] {
        guard let console = try await rules.open(connection, clock, RestoreGuard()) as? any ProgramConsole else { return [] }
        do {
            try await ask(console)
            try await console.startProgram()
        } catch {
            await console.restoreProgram()
            throw error
        }
        let printed = console.takePrinted()
        _ = await console.detach()
        return printed
    }

    /// - Parameter printed: what has come before.
    /// - Returns: `false` if the program ended with an exception.
    func listen(
        to connection: any Connection, _ language: PromptLanguage, _ printed: [UInt8] = [], until end: SessionClock.Instant
    ) async throws -> Bool {
        switch language {
        case .python: try await listenToPython(connection, printed, until: end)
        case .lua: try await listenToLua(connection, until: end)
        }
    }

    private func listenToPython(
        _ connection: any Connection, _ printed: [UInt8], until end: SessionClock.Instant
    ) async throws -> Bool {
        let deadline = clock.deadline(in: Self.subscriptionTimeout)
        let output = try await connection.subscribe(to: REPLService.transmit, deadline: deadline)
        var reader = ConsoleReader()
        var hasRaised = false
        var pieces: [[UInt8]] = [printed]
        while true {
            for event in pieces.flatMap({ reader.receive($0) }) {
                switch event {
                case .line(let line): show(.line(line))
                case .raised(let exception):
                    hasRaised = true
                    show(.error(exception.traceback, isShown: true))
                case .ended:
                    show(.ended)
                    return !hasRaised
                }
            }
            guard clock.now < end, let bytes = try await output.next(before: end, on: clock) else { return true }
            pieces = [bytes]
        }
    }

    /// A print with several arguments comes as several notifications, with tabs between them.
    private func listenToLua(_ connection: any Connection, until end: SessionClock.Instant) async throws -> Bool {
        let deadline = clock.deadline(in: Self.subscriptionTimeout)
        let output = try await connection.subscribe(to: LuaService.transmit, deadline: deadline)
        while clock.now < end, let bytes = try await output.next(before: end, on: clock) {
            guard case .text(let text) = LuaNotification(bytes) else { continue }
            let exception = LuaException(text)
            guard exception.endsProgram else {
                show(.line(PrintableText.of(text)))
                continue
            }
            show(.error(exception.message, isShown: false))
            show(.ended)
            return false
        }
        return true
    }
}
