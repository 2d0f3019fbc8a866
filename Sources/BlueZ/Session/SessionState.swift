import Bluetooth
import Support

/// What one bus session knows, guarded by ``BlueZSession``.
struct SessionState: Sendable {
    enum Phase: Sendable {
        /// The bus is being greeted, or bluetoothd asked for its objects.
        case loading
        case noDaemon(BlueZError)
        case ready
        /// The bus is gone: this session is over.
        case gone(BlueZError)
    }

    struct Listener: Sendable {
        var sightings: Inbox<Advertisement>
        var tracker = SightingTracker()
    }

    var phase = Phase.loading
    /// bluetoothd's unique name: only its messages count.
    var owner: String?
    var mirror: ObjectMirror
    var discovery = DiscoveryMachine()
    var watchdog: DiscoveryWatchdog
    /// The path of the adapter that is used: what bluetoothd says of the others' devices is not even read.
    var adapterInUse: String?
    var listeners: [Int: Listener] = [:]
    /// By device path.
    var links: [String: Link] = [:]
    /// By characteristic path.
    var subscriptions: [String: Inbox<[UInt8]>] = [:]
    /// Why the last discovery ended.
    var discoveryError: (any Error)?
    /// Devices that this process is pairing with: only for these the agent says yes.
    var pairing: Set<String> = []
    var nextNumber = 0

    init(ports: AdapterPorts = AdapterPorts(), silence: SilenceLimits = SilenceLimits()) {
        mirror = ObjectMirror(ports: ports)
        watchdog = DiscoveryWatchdog(limits: silence)
    }

    mutating func newNumber() -> Int {
        nextNumber += 1
        return nextNumber
    }

    /// The adapter to use.
    func adapter(_ wanted: AdapterSelector?) -> AdapterChoice.Outcome { AdapterChoice(mirror.adapters.values).find(wanted) }

    /// What to do about changes of the mirror, to be done without the lock held.
    mutating func consequences(of changes: [ObjectMirror.Change], at now: SessionClock.Instant) -> [Consequence] {
        changes.flatMap { change -> [Consequence] in
            switch change {
            case .advertised(let device, let hasRSSI): return sightings(of: device, hasRSSI, now)
            case .connected(let device):
                links[device]?.noteConnected(at: now)
                return []
            case .linkLost(let device, let reason):
                return links.removeValue(forKey: device).map { [.end($0, .disconnected(reason))] } ?? []
            case .deviceRemoved(let device):
                for key in listeners.keys { listeners[key]?.tracker.forget(device) }
                return []
            case .notified(let characteristic, let value):
                return subscriptions[characteristic].map { [.deliver(value, $0)] } ?? []
            case .adapterLost(let adapter, let error): return discovery.uses(adapter) ? endDiscovery(error) : []
            }
        }
    }

    /// bluetoothd or the bus went away.
    mutating func loseEverything(_ error: BlueZError) -> [Consequence] {
        let reason = error.diagnosis.message
        _ = mirror.clear(reason: reason)
        let ends = links.values.map { Consequence.end($0, .disconnected(reason)) }
        links = [:]
        subscriptions = [:]
        pairing = []
        return ends + endDiscovery(error)
    }

    mutating func endDiscovery(_ error: any Error) -> [Consequence] {
        discovery.lost()
        discoveryError = error
        defer { listeners = [:] }
        return listeners.values.map { .endSightings($0.sightings, error) }
    }

    enum Consequence: Sendable {
        case deliver([UInt8], Inbox<[UInt8]>)
        case sighting(Advertisement, Inbox<Advertisement>)
        case end(Link, LinkError)
        case endSightings(Inbox<Advertisement>, any Error)

        func perform() {
            switch self {
            case .deliver(let value, let inbox): inbox.deliver(value)
            case .sighting(let sighting, let inbox): inbox.deliver(sighting)
            case .end(let link, let error): link.finish(error)
            case .endSightings(let inbox, let error): inbox.finish(throwing: error)
            }
        }
    }

    private mutating func sightings(of device: DeviceObject, _ hasRSSI: Bool, _ now: SessionClock.Instant) -> [Consequence] {
        listeners.keys.sorted().compactMap { key in
            guard let sighting = listeners[key]?.tracker.observe(device, hasRSSI: hasRSSI, at: now) else { return nil }
            return listeners[key].map { .sighting(sighting, $0.sightings) }
        }
    }
}
