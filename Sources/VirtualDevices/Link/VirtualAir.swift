import Bluetooth
import Support
import Synchronization

/// What a unit shows to the air.
struct Presence: Sendable {
    var advertisement: Advertisement
    var unit: Inbox<UnitEvent>
}

/// The air between virtual units and a virtual central.
public final class VirtualAir: Sendable {
    private struct State {
        var presences: [ObjectIdentifier: Presence] = [:]
        var discoveries: [UInt64: Inbox<Advertisement>] = [:]
        var observers: [Inbox<Advertisement?>] = []
        var count: UInt64 = 0
    }

    public let time: VirtualTime
    private let state = Mutex(State())

    public init(time: VirtualTime) { self.time = time }

    /// Shows or hides a unit; the identity is its event inbox.
    func publish(_ advertisement: Advertisement?, from unit: Inbox<UnitEvent>) {
        let (discoveries, observers) = state.withLock { state in
            state.presences[ObjectIdentifier(unit)] = advertisement.map { Presence(advertisement: $0, unit: unit) }
            return (Array(state.discoveries.values), state.observers)
        }
        for observer in observers { observer.deliver(advertisement) }
        guard let advertisement else { return }
        for discovery in discoveries { discovery.deliver(advertisement) }
        if !discoveries.isEmpty { unit.deliver(.discoveryStarted) }
    }

    /// Every change of what a unit shows from now on; `nil` is silence.
    func observePresence() -> Inbox<Advertisement?> {
        let inbox = Inbox<Advertisement?>()
        state.withLock { $0.observers.append(inbox) }
        return inbox
    }

    /// Repeats a unit's advertisement to whoever listens; tells whether anybody does.
    func advertise(_ unit: Inbox<UnitEvent>) -> Bool {
        let (presence, discoveries) = state.withLock { ($0.presences[ObjectIdentifier(unit)], Array($0.discoveries.values)) }
        guard let presence else { return false }
        for discovery in discoveries { discovery.deliver(presence.advertisement) }
        return !discoveries.isEmpty
    }

    func presence(at address: DeviceAddress) -> Presence? {
        state.withLock { state in state.presences.values.first { $0.advertisement.address == address } }
    }

    func startDiscovery() -> (UInt64, Inbox<Advertisement>) {
        let (id, inbox, units) = state.withLock { state -> (UInt64, Inbox<Advertisement>, [Presence]) in
            state.count += 1
            let inbox = Inbox<Advertisement>(overrun: LinkError.overrun)
            state.discoveries[state.count] = inbox
            return (state.count, inbox, Array(state.presences.values))
        }
        for presence in units { presence.unit.deliver(.discoveryStarted) }
        return (id, inbox)
    }

    func stopDiscovery(_ id: UInt64) {
        state.withLock { state in state.discoveries.removeValue(forKey: id) }?
            .finish(throwing: LinkError.disconnected("discovery stopped"))
    }
}
