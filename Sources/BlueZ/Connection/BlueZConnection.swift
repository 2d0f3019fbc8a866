import Bluetooth
import Support
import Synchronization

final class BlueZConnection: Connection {
    /// Replaced once, when the attribute table proves stale.
    private struct State {
        var established: Connector.Established
        /// No characteristic was found yet, so nobody would notice a new link.
        var isUntouched = true
    }

    let address: DeviceAddress
    let clock: SessionClock
    private let connector: Connector
    private let state: Mutex<State>

    init(connector: Connector, link: Connector.Established, clock: SessionClock) {
        address = connector.address
        self.connector = connector
        self.clock = clock
        state = Mutex(State(established: link))
    }

    deinit {
        // A connection that its owner dropped must not block the unit.
        let established = state.withLock { $0.established }
        guard established.link.end == nil else { return }
        established.session.release(.bluez(BusName.device, "Disconnect", at: established.link.device))
        established.link.finish(Link.closedHere)
    }

    var session: BlueZSession { state.withLock { $0.established.session } }
    var link: Link { state.withLock { $0.established.link } }
    var payloadSize: Int { state.withLock { $0.established.payloadSize } }
    var isNewlyBonded: Bool { state.withLock { $0.established.isNewlyBonded } }

    func offers(_ characteristic: AttributeID) -> Bool {
        let established = state.withLock { $0.established }
        return established.session.read { $0.mirror.characteristic(characteristic, of: established.link.device) } != nil
    }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        try link.requireAlive()
        let target = try await find(characteristic, before: deadline)
        // bluetoothd sends either kind of write whatever the flags say (BlueZ, `src/gatt-client.c`); the unit decides.
        guard target.allows(["write", "write-without-response"]) else { throw LinkError.notAllowed(characteristic, .write) }
        guard value.count <= payloadSize else { throw LinkError.valueTooLong(count: value.count, limit: payloadSize) }
        try await translating(characteristic, .write) {
            try await afterRelease(before: deadline) {
                _ = try await session.call(
                    .bluez(
                        BusName.characteristic, "WriteValue", at: target.path, .bytes(value),
                        .dictionary(["type": .string("request")])),
                    before: deadline, link: link)
            }
        }
    }

    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
        try link.requireAlive()
        let target = try await find(characteristic, before: deadline)
        guard target.allows(["write-without-response"]) else { throw LinkError.notAllowed(characteristic, .writeWithoutResponse) }
        return try await translating(characteristic, .writeWithoutResponse) {
            let (socket, mtu) = try await acquire("AcquireWrite", target, receiver: nil, before: deadline)
            return BlueZChannel(session: session, link: link, socket: socket, limit: min(ObjectLimits.payload(mtu: mtu), payloadSize))
        }
    }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        try link.requireAlive()
        let target = try await find(characteristic, before: deadline)
        return try await translating(characteristic, .subscription) { try await subscribe(to: target, before: deadline) }
    }

    func disconnect() async { await session.disconnect(link) }

    func waitUntilGone(deadline: SessionClock.Instant) async throws {
        let gone = Inbox<Void>(capacity: 1)
        let link = link
        let token = link.whenEnded { gone.finish(throwing: $0) }
        defer { link.forget(token) }
        do {
            _ = try await gone.next(before: deadline, on: clock)
        } catch is LinkError {
            return
        }
        throw LinkError.timedOut("the link to end")
    }

    /// bluetoothd keeps attribute tables on disk and trusts them (`Cache = always`), so after an update the table may be the old
    /// firmware's. Asks again for a missing characteristic, then once forgets the device and reconnects.
    private func find(_ id: AttributeID, before deadline: SessionClock.Instant) async throws -> CharacteristicObject {
        let (established, isUntouched) = state.withLock { ($0.established, $0.isUntouched) }
        if let known = lookUp(id, established) { return known }
        try await established.session.refresh(before: deadline)
        if let known = lookUp(id, established) { return known }
        try established.link.requireAlive()
        // Forgetting also deletes the bond's key, and the unit may refuse another.
        guard isUntouched, connector.security == .open else { throw LinkError.characteristicMissing(id) }
        state.withLock { $0.isUntouched = false }
        await established.session.disconnect(established.link)
        let renewed = Connector(central: connector.central, address: address, deadline: deadline, security: connector.security)
        let link = try await renewed.connect(byForgetting: true)
        state.withLock { $0.established = link }
        guard let found = lookUp(id, link) else { throw LinkError.characteristicMissing(id) }
        return found
    }

    private func lookUp(_ id: AttributeID, _ established: Connector.Established) -> CharacteristicObject? {
        let found = established.session.read { $0.mirror.characteristic(id, of: established.link.device) }
        if found != nil { state.withLock { $0.isUntouched = false } }
        return found
    }
}
