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
                case .failure(let error): reason = SystemError.text(error)
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
