import Bluetooth
import Glibc
import Support

/// The state of one bus session, guarded by ``BlueZSession``.
struct SessionState: Sendable {
    enum Phase: Sendable {
        /// Logging in to the bus, or waiting for bluetoothd's objects.
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

    /// Runs after a change, without the lock.
    typealias Consequence = @Sendable () -> Void

    var phase = Phase.loading
    /// bluetoothd's unique name: only its messages count.
    var owner: String?
    var mirror: ObjectMirror
    var discovery = DiscoveryMachine()
    var watchdog: DiscoveryWatchdog
    /// The path of the adapter in use: signals about other adapters' devices are not even read.
    var adapterInUse: String?
    var listeners: [Int: Listener] = [:]
    /// By device path.
    var links: [String: Link] = [:]
    /// By characteristic path.
    var subscriptions: [String: Inbox<[UInt8]>] = [:]
    var discoveryError: (any Error)?
    /// The devices for which the agent says yes.
    var pairing: Set<String> = []
    private var lastNumber = 0

    init(ports: AdapterPorts = AdapterPorts(), silence: SilenceLimits = SilenceLimits()) {
        mirror = ObjectMirror(ports: ports)
        watchdog = DiscoveryWatchdog(limits: silence)
    }

    mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func consequences(of changes: [ObjectMirror.Change], at now: SessionClock.Instant) -> [Consequence] {
        changes.flatMap { change -> [Consequence] in
            switch change {
            case .advertised(let device, let hasRSSI): return sightings(of: device, hasRSSI, now)
            case .connected(let device): links[device]?.noteConnected(at: now)
            case .linkLost(let device, let reason):
                return links.removeValue(forKey: device).map { link in [{ link.finish(.disconnected(reason)) }] } ?? []
            case .deviceRemoved(let device):
                for key in listeners.keys { listeners[key]?.tracker.forget(device) }
            case .notified(let characteristic, let value):
                return subscriptions[characteristic].map { inbox in [{ inbox.deliver(value) }] } ?? []
            case .adapterLost(let adapter, let error): return discovery.uses(adapter) ? endDiscovery(error) : []
            }
            return []
        }
    }

    mutating func loseEverything(_ error: BlueZError) -> [Consequence] {
        let reason = error.diagnosis.message
        mirror = ObjectMirror(ports: mirror.ports)
        let ends = links.values.map { link -> Consequence in { link.finish(.disconnected(reason)) } }
        links = [:]
        subscriptions = [:]
        pairing = []
        return ends + endDiscovery(error)
    }

    mutating func endDiscovery(_ error: any Error) -> [Consequence] {
        discovery.lost()
        discoveryError = error
        defer { listeners = [:] }
        return listeners.values.map { listener in { listener.sightings.finish(throwing: error) } }
    }

    private mutating func sightings(of device: DeviceObject, _ hasRSSI: Bool, _ now: SessionClock.Instant) -> [Consequence] {
        listeners.keys.sorted().compactMap { key in
            guard let sighting = listeners[key]?.tracker.observe(device, hasRSSI: hasRSSI, at: now), let inbox = listeners[key]?.sightings
            else { return nil }
            return { inbox.deliver(sighting) }
        }
    }

    /// Whether a signal is worth reading, by its object's path: not about another adapter's devices, other programs' notifications,
    /// services or descriptors. Decided before anything is copied: in crowded air each advertisement is a signal.
    /// - Parameter isChange: the object's properties changed; otherwise it came or went.
    func isWorthReading(_ path: UnsafePointer<CChar>, isChange: Bool) -> Bool {
        guard strncmp(path, Self.root, Self.root.utf8.count) == 0 else { return true }
        let name = path + Self.root.utf8.count
        // An adapter.
        guard let device = strchr(name, Self.slash) else { return true }
        if let adapterInUse, !adapterInUse.withCString({ Self.begins(path, with: $0, endingAt: device) }) { return false }
        guard let attribute = strchr(device + 1, Self.slash) else { return true }
        guard let characteristic = strstr(attribute, "/char"), strchr(characteristic + 1, Self.slash) == nil else { return false }
        return !isChange || (!subscriptions.isEmpty && subscriptions[String(cString: path)] != nil)
    }

    private static let root = "/org/bluez/"
    private static let slash = Int32(UInt8(ascii: "/"))

    private static func begins(
        _ path: UnsafePointer<CChar>, with adapter: UnsafePointer<CChar>, endingAt end: UnsafePointer<CChar>
    ) -> Bool {
        let length = path.distance(to: end)
        return strlen(adapter) == length && strncmp(path, adapter, length) == 0
    }
}
