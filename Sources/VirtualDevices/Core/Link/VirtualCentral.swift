import Bluetooth
import Support

/// A host adapter on a ``VirtualAir``, with the keys of its host's bonds.
public struct VirtualCentral: Central {
    /// The largest ATT MTU this host asks for (BlueZ: 517); 0 for one that asks for none.
    public var requestedMTU = 517
    private let air: VirtualAir
    /// `nil` for one that takes any number of links and connects.
    private let adapter: VirtualAdapter?
    let bonds: BondStore
    /// Gets what the operator should know of a bond.
    let notice: @Sendable (String) -> Void

    public init(
        air: VirtualAir, adapter: VirtualAdapter? = nil, bonds: BondStore = BondStore(), notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.air = air
        self.adapter = adapter
        self.bonds = bonds
        self.notice = notice
    }

    public var clock: SessionClock { air.time.clock }

    public func discover() async throws -> any Discovery {
        let (id, sightings) = air.startDiscovery(by: adapter)
        return VirtualDiscovery(id: id, sightings: sightings, air: air)
    }

    public func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        guard security == .bonded else { return try await openLink(to: address, before: deadline) }
        var recovery = BondRecovery(address: address)
        while true {
            let connection = try await openLink(to: address, before: deadline)
            let step: BondRecovery.Step
            switch try await secure(connection, before: deadline) {
            case .encrypted(let isNew):
                var secured = connection
                secured.isNewlyBonded = isNew
                return secured
            case .lost: continue
            case .pairingRefused(let reason): step = recovery.pairingRefused(reason)
            case .encryptionFailed(let reason): step = recovery.encryptionFailed(reason)
            }
            await connection.disconnect()
            switch step {
            case .tryAgain: break
            case .forgetKey:
                notice(BondRecovery.notice(of: address))
                try bonds.forget(address)
            case .fail(let error): throw error
            }
        }
    }

    private func openLink(to address: DeviceAddress, before deadline: SessionClock.Instant) async throws -> VirtualConnection {
        try adapter?.beginDial()
        do {
            let link = try await dial(address, before: deadline)
            adapter?.endDial(with: link)
            return VirtualConnection(address: address, link: link, clock: clock)
        } catch {
            adapter?.endDial(with: nil)
            throw error
        }
    }

    private func dial(_ address: DeviceAddress, before deadline: SessionClock.Instant) async throws -> VirtualLink {
        var reason = "no such device answers"
        while clock.now < deadline {
            if let shown = air.advertising(at: address), adapter.map({ $0.hear(shown.advertisement) != nil }) ?? true {
                let reply = LinkReply()
                shown.unit.deliver(.connect(requestedMTU: requestedMTU, reply: reply))
                switch try await reply.wait(before: deadline, on: clock) {
                case .success(let link): return link
                case .failure(let error): reason = "\(error)"
                case nil: break
                }
            }
            try await clock.sleep(until: min(deadline, clock.deadline(in: .milliseconds(50))))
        }
        throw LinkError.connectFailed(address, reason: reason)
    }
}

struct VirtualDiscovery: Discovery {
    let id: UInt64
    let sightings: Inbox<Advertisement>
    let air: VirtualAir

    func stop() async { air.stopDiscovery(id) }
}

struct VirtualConnection: Connection {
    let address: DeviceAddress
    let link: VirtualLink
    let clock: SessionClock
    var isNewlyBonded = false

    var payloadSize: Int { link.payloadSize }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        try check(value)
        let reply = Inbox<UInt8?>()
        try link.send(.write(characteristic, value, reply: reply))
        try await answer(reply, characteristic, deadline)
    }

    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
        if let end = link.end { throw end }
        return VirtualChannel(connection: self, characteristic: characteristic)
    }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        let inbox = link.inbox(for: characteristic)
        let reply = Inbox<UInt8?>()
        try link.send(.subscribe(characteristic, isOn: true, reply: reply))
        try await answer(reply, characteristic, deadline, of: .subscription)
        return inbox
    }

    func disconnect() async {
        try? link.send(.disconnect)
        // Whoever is cancelled ends the link in good order, too.
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

    func check(_ value: [UInt8]) throws {
        guard value.count <= link.payloadSize else {
            throw LinkError.valueTooLong(count: value.count, limit: link.payloadSize)
        }
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

struct VirtualChannel: WriteChannel {
    let connection: VirtualConnection
    let characteristic: AttributeID

    func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws {
        try connection.check(packet)
        guard try await connection.link.credits.next(before: deadline, on: connection.clock) != nil else {
            throw LinkError.timedOut("room in the host's transmit queue")
        }
        try connection.link.send(.write(characteristic, packet, reply: nil))
    }

    func close() async {}
}
