import Bluetooth
import Support
import Synchronization

/// The air between virtual units and a virtual central.
public final class VirtualAir: Sendable {
    /// Who listens, and what it hears of an advertisement.
    private struct Listener: Sendable {
        let inbox: Inbox<Advertisement>
        let adapter: VirtualAdapter?

        func hear(_ advertisement: Advertisement) {
            guard let adapter else { return inbox.deliver(advertisement) }
            if let heard = adapter.hear(advertisement) { inbox.deliver(heard) }
        }
    }

    private struct State {
        var units: [ObjectIdentifier: Advertising] = [:]
        var discoveries: [UInt64: Listener] = [:]
        var observers: [Inbox<Advertising?>] = []
        var count: UInt64 = 0
    }

    public let time: VirtualTime
    private let state = Mutex(State())

    public init(time: VirtualTime) { self.time = time }

    /// Shows or hides a unit; the identity is its event inbox.
    func publish(_ advertising: Advertising?, from unit: Inbox<UnitEvent>) {
        let (discoveries, observers) = state.withLock { state in
            state.units[ObjectIdentifier(unit)] = advertising
            return (Array(state.discoveries.values), state.observers)
        }
        for observer in observers { observer.deliver(advertising) }
        guard let advertising else { return }
        for discovery in discoveries { discovery.hear(advertising.advertisement) }
        if !discoveries.isEmpty { unit.deliver(.discoveryStarted) }
    }

    /// Every change of what a unit shows from now on; `nil` is silence.
    func observeAdvertising() -> Inbox<Advertising?> {
        let inbox = Inbox<Advertising?>()
        state.withLock { $0.observers.append(inbox) }
        return inbox
    }

    /// Repeats a unit's advertisement to whoever listens; tells whether anybody does.
    func advertise(_ unit: Inbox<UnitEvent>) -> Bool {
        let (shown, discoveries) = state.withLock { ($0.units[ObjectIdentifier(unit)], Array($0.discoveries.values)) }
        guard let shown else { return false }
        for discovery in discoveries { discovery.hear(shown.advertisement) }
        return !discoveries.isEmpty
    }

    func advertising(at address: DeviceAddress) -> Advertising? {
        state.withLock { state in state.units.values.first { $0.advertisement.address == address } }
    }

    func startDiscovery(by adapter: VirtualAdapter? = nil) -> (UInt64, Inbox<Advertisement>) {
        let (id, inbox, units) = state.withLock { state -> (UInt64, Inbox<Advertisement>, [Advertising]) in
            state.count += 1
            let inbox = Inbox<Advertisement>(overrun: LinkError.overrun)
            state.discoveries[state.count] = Listener(inbox: inbox, adapter: adapter)
            return (state.count, inbox, Array(state.units.values))
        }
        for shown in units { shown.unit.deliver(.discoveryStarted) }
        return (id, inbox)
    }

    func stopDiscovery(_ id: UInt64) {
        state.withLock { state in state.discoveries.removeValue(forKey: id) }?.inbox
            .finish(throwing: LinkError.disconnected("discovery stopped"))
    }
}
