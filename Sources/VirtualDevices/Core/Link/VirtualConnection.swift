import Bluetooth
import Support
import Synchronization

/// A link as bluetoothd shows it: what bluetoothd itself refuses never reaches the unit.
struct VirtualConnection: Connection {
    let address: DeviceAddress
    let link: VirtualLink
    let clock: SessionClock
    var isNewlyBonded = false

    var payloadSize: Int { link.payloadSize }

    func offers(_ characteristic: AttributeID) -> Bool { link.table[characteristic] != nil }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        // bluetoothd sends a request whatever the properties are (BlueZ, `src/gatt-client.c`).
        try find(characteristic, .write, .command, for: .write)
        try check(value)
        guard !link.isAcquired(characteristic) else { throw LinkError.acquired(characteristic, .write) }
        let reply = Inbox<UInt8?>()
        try link.send(.write(characteristic, value, reply: reply))
        try await answer(reply, characteristic, deadline)
    }

    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
        try find(characteristic, .command, for: .writeWithoutResponse)
        guard link.acquire(characteristic) else { throw LinkError.acquired(characteristic, .writeWithoutResponse) }
        return VirtualChannel(connection: self, characteristic: characteristic)
    }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        try find(characteristic, .notify, for: .subscription)
        let inbox = link.inbox(for: characteristic)
        let reply = Inbox<UInt8?>()
        try link.send(.subscribe(characteristic, isOn: true, reply: reply))
        try await answer(reply, characteristic, deadline, of: .subscription)
        return inbox
    }

    func disconnect() async {
        try? link.send(.disconnect)
        // Cancelled tasks also end the link in an orderly way.
        await clock.shielded(for: .seconds(1)) { [link, clock] in
            _ = try await link.gone.next(before: clock.deadline(in: .seconds(1)), on: clock)
        }
        link.finish(.disconnected("closed by this host"))
    }

    func waitUntilGone(deadline: SessionClock.Instant) async throws {
        do {
            _ = try await link.gone.next(before: deadline, on: clock)
        } catch is LinkError {
            return
        }
        throw LinkError.timedOut("the link to end")
    }

    private func find(_ id: AttributeID, _ properties: GATTCharacteristic.Property..., for operation: LinkError.Operation) throws {
        if let end = link.end { throw end }
        guard let found = link.table[id] else { throw LinkError.characteristicMissing(id) }
        guard properties.contains(where: found.properties.contains) else { throw LinkError.notAllowed(id, operation) }
    }

    func check(_ value: [UInt8]) throws {
        guard value.count <= link.payloadSize else { throw LinkError.valueTooLong(count: value.count, limit: link.payloadSize) }
    }

    private func answer(
        _ reply: Inbox<UInt8?>, _ characteristic: AttributeID, _ deadline: SessionClock.Instant, of operation: LinkError.Operation = .write
    ) async throws {
        guard let result = try await reply.next(before: deadline, on: clock) else {
            throw LinkError.timedOut("the answer to a \(operation.rawValue)")
        }
        guard let error = result else { return }
        throw error == 0x01 ? LinkError.characteristicMissing(characteristic)
            : LinkError.refused(characteristic, attributeError: error, of: operation)
    }
}

/// The socket that bluetoothd provides.
final class VirtualChannel: WriteChannel {
    private let connection: VirtualConnection
    private let characteristic: AttributeID
    private let isOpen = Mutex(true)

    init(connection: VirtualConnection, characteristic: AttributeID) {
        (self.connection, self.characteristic) = (connection, characteristic)
    }

    deinit { release() }

    func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws {
        try connection.check(packet)
        // bluetoothd treats an empty datagram as the end of the socket.
        guard !packet.isEmpty else { return }
        guard isOpen.withLock({ $0 }) else { throw connection.link.end ?? .disconnected("the write channel is closed") }
        guard try await connection.link.credits.next(before: deadline, on: connection.clock) != nil else {
            throw LinkError.timedOut("room in the host's transmit queue")
        }
        try connection.link.send(.write(characteristic, packet, reply: nil))
    }

    func close() async { release() }

    private func release() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { connection.link.release(characteristic) }
    }
}
