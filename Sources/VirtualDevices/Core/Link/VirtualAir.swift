import Bluetooth
import Support
import Synchronization

/// The air between virtual units and a virtual central.
public final class VirtualAir: Sendable {
    /// One run of one unit.
    struct Place: Sendable, Hashable, Comparable {
        fileprivate let number: UInt64

        static func < (left: Place, right: Place) -> Bool { left.number < right.number }
    }

    private struct State {
        var units: [Place: Advertising] = [:]
        /// Units already repeating their advertisement.
        var repeating: Set<Place> = []
        var discoveries: [UInt64: Inbox<Advertisement>] = [:]
        var observers: [Inbox<Advertising?>] = []
        var count: UInt64 = 0

        /// The oldest first: hashing has another order in every process.
        var listeners: [Inbox<Advertisement>] { discoveries.sorted { $0.key < $1.key }.map(\.value) }
    }

    public let time: VirtualTime
    private let state = Mutex(State())

    public init(time: VirtualTime) { self.time = time }

    func join() -> Place {
        state.withLock { state in
            state.count += 1
            return Place(number: state.count)
        }
    }

    func leave(_ place: Place) {
        state.withLock { state in
            state.units[place] = nil
            state.repeating.remove(place)
        }
    }

    func publish(_ advertising: Advertising?, from place: Place) {
        let (discoveries, observers, begins) = state.withLock { state in
            state.units[place] = advertising
            let isHeard = advertising != nil && !state.discoveries.isEmpty
            return (state.listeners, state.observers, isHeard && state.repeating.insert(place).inserted)
        }
        for observer in observers { observer.deliver(advertising) }
        guard let advertising else { return }
        advertising.reach(discoveries)
        if begins { advertising.unit.deliver(.beginAdvertising) }
    }

    /// Every change of a unit's advertisement from now on; `nil` is silence.
    package func observeAdvertising() -> Inbox<Advertising?> {
        let inbox = Inbox<Advertising?>()
        state.withLock { $0.observers.append(inbox) }
        return inbox
    }

    /// Repeats a unit's advertisement.
    /// - Returns: whether anybody listens.
    func advertise(_ place: Place) -> Bool {
        let (shown, discoveries) = state.withLock { state in
            if state.units[place] == nil || state.discoveries.isEmpty { state.repeating.remove(place) }
            return (state.units[place], state.listeners)
        }
        guard let shown else { return false }
        shown.reach(discoveries)
        return !discoveries.isEmpty
    }

    func advertising(at address: DeviceAddress) -> Advertising? {
        state.withLock { state in
            state.units.filter { $0.value.sightings.first?.address == address }.min { $0.key < $1.key }?.value
        }
    }

    func startDiscovery() -> (UInt64, Inbox<Advertisement>) {
        let (id, inbox, silent) = state.withLock { state -> (UInt64, Inbox<Advertisement>, [Advertising]) in
            state.count += 1
            let inbox = Inbox<Advertisement>(overrun: LinkError.overrun)
            state.discoveries[state.count] = inbox
            let silent = state.units.filter { !state.repeating.contains($0.key) }
            state.repeating.formUnion(silent.keys)
            return (state.count, inbox, silent.sorted { $0.key < $1.key }.map(\.value))
        }
        for shown in silent { shown.unit.deliver(.beginAdvertising) }
        return (id, inbox)
    }

    func stopDiscovery(_ id: UInt64) {
        let sightings = state.withLock { state in state.discoveries.removeValue(forKey: id) }
        sightings?.finish(throwing: LinkError.disconnected("discovery stopped"))
    }
}

/// A unit's advertisement while a central can connect to it.
package struct Advertising: Sendable {
    /// The advertisement, then with the scan response if there is one.
    package var sightings: [Advertisement]
    package var largestMTU: Int
    package var table: GATTTable
    package var requestsSecurity = false
    var unit: Inbox<UnitEvent>

    fileprivate func reach(_ discoveries: [Inbox<Advertisement>]) {
        for discovery in discoveries { sightings.forEach(discovery.deliver) }
    }
}
