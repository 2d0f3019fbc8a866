import Bluetooth
import Support
import Synchronization

/// Writes to one characteristic, without response over a channel, or with one.
final class CharacteristicWriter: Sendable {
    private let connection: any Connection
    private let characteristic: AttributeID
    private let channel = Mutex<(any WriteChannel)?>(nil)

    init(_ connection: any Connection, _ characteristic: AttributeID) {
        (self.connection, self.characteristic) = (connection, characteristic)
    }

    /// Does nothing if the channel is open; other writes open it themselves.
    @discardableResult
    func open(before deadline: SessionClock.Instant) async throws -> any WriteChannel {
        if let open = channel.withLock(\.self) { return open }
        let opened = try await connection.openChannel(to: characteristic, deadline: deadline)
        channel.withLock { $0 = opened }
        return opened
    }

    /// One write without response, of at most the payload size.
    func send(_ bytes: [UInt8], deadline: SessionClock.Instant) async throws {
        try await open(before: deadline).send(bytes, deadline: deadline)
    }

    /// One write with response: returns once the unit has it. What the unit sent before has come, too.
    func deliver(_ bytes: [UInt8], deadline: SessionClock.Instant) async throws {
        await close()
        try await connection.write(bytes, to: characteristic, deadline: deadline)
    }

    func close() async {
        let open = channel.withLock { channel in
            defer { channel = nil }
            return channel
        }
        await open?.close()
    }
}
