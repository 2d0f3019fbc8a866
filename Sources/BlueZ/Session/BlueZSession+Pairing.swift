import Bluetooth
import Support

extension BlueZSession {
    /// Pairs without anybody's confirmation; harmless when it is paired already.
    func pair(_ link: Link, before deadline: SessionClock.Instant) async throws {
        try await registerAgent(for: link, before: deadline)
        do {
            _ = try await call(.bluez(BusName.device, "Pair", at: link.device), before: deadline, link: link)
        } catch BlueZError.alreadyExists {
        } catch {
            release(.bluez(BusName.device, "CancelPairing", at: link.device))
            releaseAgent(of: link)
            throw error
        }
        releaseAgent(of: link)
    }

    private func registerAgent(for link: Link, before deadline: SessionClock.Instant) async throws {
        change { _ = $0.pairing.insert(link.device) }
        counter.opened(.agent)
        do {
            _ = try await call(
                .bluez(
                    BusName.agentManager, "RegisterAgent", at: "/org/bluez", .objectPath(PairingAgent.path),
                    .string(PairingAgent.capability)),
                before: deadline, link: link)
        } catch BlueZError.alreadyExists {
            // Another unit is being paired by this process.
        } catch {
            releaseAgent(of: link)
            throw error
        }
    }

    private func releaseAgent(of link: Link) {
        counter.closed(.agent)
        let isLast = change { state in
            state.pairing.remove(link.device)
            return state.pairing.isEmpty
        }
        if isLast { release(.bluez(BusName.agentManager, "UnregisterAgent", at: "/org/bluez", .objectPath(PairingAgent.path))) }
    }
}
