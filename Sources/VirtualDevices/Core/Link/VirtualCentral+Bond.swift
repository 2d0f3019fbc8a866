import Bluetooth
import Support

extension VirtualCentral: BondingCentral {
    /// What came of a link that had to be encrypted.
    enum Security: Sendable {
        case encrypted(isNew: Bool)
        case pairingRefused(String)
        case encryptionFailed(String)
        /// The link ended for another reason.
        case lost
    }

    /// Encrypts with the key of an earlier pairing; without one it pairs, and keeps the key.
    func secure(_ connection: VirtualConnection, before deadline: SessionClock.Instant) async throws -> Security {
        let key = try bonds.key(for: connection.address)
        let reply = Inbox<SecurityAnswer>()
        let answer: SecurityAnswer?
        do {
            try connection.link.send(.secure(key.map(SecurityRequest.encrypt) ?? .pair, reply: reply))
            answer = try await reply.next(before: deadline, on: clock)
        } catch is LinkError {
            return .lost
        }
        switch answer {
        case .encrypted(let new):
            if key == nil { try bonds.keep(new, for: connection.address) }
            return .encrypted(isNew: key == nil)
        case .refused(let reason, _):
            let text = "reason 0x\(String(reason, radix: 16))"
            return key == nil ? .pairingRefused(text) : .encryptionFailed(text)
        case nil:
            await connection.disconnect()
            throw LinkError.timedOut("the link to be encrypted")
        }
    }

    public func forgetBond(with address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool {
        let hadKey = try bonds.key(for: address) != nil
        try bonds.forget(address)
        return hadKey
    }
}
