import Bluetooth
import DFU
import REPL
import Support

/// Finds and reaches one Monocle, in its application or in its bootloader at the next address.
struct MonocleRadio: Sendable {
    enum Mode: Sendable, Hashable { case application, bootloader }

    /// How long a unit may take to be seen: its reset, its boot, its advertising.
    static let sightPatience = Duration.seconds(20)
    /// The adapter's return, attempts and the attribute table together: one of bluetoothd's attempts may hang for 10 s, and
    /// the next one usually works.
    static let connectPatience = Duration.seconds(30)
    private static let restartPatience = Duration.seconds(10)
    /// Entering the raw REPL, a program that has to be interrupted included.
    static let promptPatience = Duration.seconds(10)

    let central: any Central
    /// The application's address.
    let address: DeviceAddress

    var clock: SessionClock { central.clock }

    /// How long a bootloader is taken for a stranger's while the unit's application may still be heard: both advertise several
    /// times a second, and anything may call itself DfuTarg at the address after the unit's.
    static let strangerPatience = Duration.seconds(2)

    /// Waits until the unit is seen in one of the modes; a unit that is heard in its application is not in its bootloader.
    /// - Returns: the mode, or `nil` when it was not seen in time.
    func find(_ modes: Set<Mode> = [.application, .bootloader], within patience: Duration = sightPatience) async throws -> Mode? {
        var found: Mode?
        var end = clock.deadline(in: patience)
        let grace = modes.contains(.application) ? Self.strangerPatience : .zero
        try await central.listen(until: end, every: .milliseconds(500)) { sighting in
            if let seen = sighting.flatMap(mode), modes.contains(seen), found != seen {
                found = seen
                end = seen == .application ? clock.now : min(end, clock.deadline(in: grace))
            }
            return found != nil && clock.now >= end
        }
        return found
    }

    private func mode(of sighting: Advertisement) -> Mode? {
        switch sighting.address {
        case address: .application
        case address.bootloader: sighting.services.contains(DFUSession.service) || sighting.name == "DfuTarg" ? .bootloader : nil
        default: nil
        }
    }

    func connect(_ mode: Mode) async throws -> any Connection {
        let target = mode == .application ? address : address.bootloader
        return try await central.connect(to: target, deadline: clock.deadline(in: Self.connectPatience))
    }

    /// Runs `body` on a connection to the unit and closes it whatever happens.
    func withConnection<Value: Sendable>(
        _ mode: Mode, _ body: (any Connection) async throws -> Value
    ) async throws -> Value {
        let connection = try await connect(mode)
        do {
            let value = try await body(connection)
            await connection.disconnect()
            return value
        } catch {
            await connection.disconnect()
            throw error
        }
    }

    /// A connection to the unit, at its raw prompt.
    func open(_ conduct: Conduct) async throws -> UnitSession {
        let connection = try await connect(.application)
        do {
            return UnitSession(repl: try await attach(to: connection, conduct), connection: connection, conduct: conduct)
        } catch {
            await connection.disconnect()
            throw error
        }
    }

    /// The byte 0x1C restarts the unit without running `main.py`, whatever its program does (monocle-micropython).
    func restartInSafeMode() async throws {
        try await withConnection(.application) { connection in
            let deadline = clock.deadline(in: Self.restartPatience)
            // Without response: a unit that resets in the middle of a write does not answer it.
            let channel = try await connection.openChannel(to: REPLService.receive, deadline: deadline)
            try await channel.send([0x1C], deadline: deadline)
            try? await connection.waitUntilGone(deadline: deadline)
            await channel.close()
        }
        guard try await find([.application]) != nil else { throw ProvisioningError.doesNotReturn }
    }

    /// A cancellation while the prompt is sought may have stopped the unit's program already.
    private func attach(to connection: any Connection, _ conduct: Conduct) async throws -> PythonREPL {
        do {
            return try await PythonREPL.attach(to: connection, clock: clock, within: Self.promptPatience)
        } catch is CancellationError {
            await clock.shielded(for: UnitSession.farewell) {
                let repl = try await PythonREPL.attach(to: connection, clock: clock, within: UnitSession.farewell)
                await UnitSession(repl: repl, connection: connection, conduct: conduct).leaveAsFound()
            }
            throw CancellationError()
        }
    }
}
