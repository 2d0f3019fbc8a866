import Bluetooth
import Support

/// A host adapter on a ``VirtualAir``, with its host's bond keys.
public struct VirtualCentral: Central {
    /// The ATT MTU that this host requests (BlueZ: 517); 0 requests none.
    package var requestedMTU = 517
    private let air: VirtualAir
    /// `nil` allows any number of links and connects.
    private let adapter: VirtualAdapter?
    let bonds: BondStore
    let notice: @Sendable (String) -> Void

    /// - Parameter notice: receives what the operator should know about a bond.
    public init(
        air: VirtualAir, adapter: VirtualAdapter? = nil, bonds: BondStore = BondStore(),
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.air, self.adapter, self.bonds, self.notice) = (air, adapter, bonds, notice)
    }

    public var clock: SessionClock { air.time.clock }

    public func discover() async throws -> any Discovery {
        let (id, sightings) = air.startDiscovery()
        return VirtualDiscovery(id: id, sightings: sightings, air: air)
    }

    public func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        guard security == .bonded else { return try await openLink(to: address, before: deadline) }
        var recovery = BondRecovery(address: address)
        while true {
            var connection = try await openLink(to: address, before: deadline)
            let key = try bonds.key(for: address)
            guard let answer = try await secure(connection, with: key, before: deadline) else { continue }
            guard case .refused(let code, _) = answer else {
                connection.isNewlyBonded = key == nil
                return connection
            }
            await connection.disconnect()
            let reason = "reason 0x\(String(code, radix: 16))"
            switch key == nil ? recovery.pairingRefused(reason) : recovery.encryptionFailed(reason) {
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
            if let shown = air.advertising(at: address) {
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
