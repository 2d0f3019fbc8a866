import Synchronization

/// What went over the bus and the acquired sockets since the central was made, and what is open now.
public struct BusTraffic: Sendable, Hashable {
    /// What has to be given back.
    public struct OpenResources: Sendable, Hashable {
        /// Characteristics whose notifications come as signals.
        public var subscriptions = 0
        /// Acquired sockets.
        public var sockets = 0
        /// Calls whose answer is outstanding.
        public var pendingCalls = 0
        public var discoveries = 0
        public var links = 0
        public var agents = 0

        public init() {}
    }

    /// D-Bus messages sent, by member.
    public var sent: [String: Int] = [:]
    /// D-Bus messages received: signals by their member, answers by the member that they answer.
    public var received: [String: Int] = [:]
    /// Signals that were dropped unread, by the object that they were about.
    public var dropped = 0
    /// Packets through acquired sockets, without a D-Bus message each.
    public var packetsSent = 0
    public var packetsReceived = 0
    public var open = OpenResources()

    public init() {}

    /// D-Bus messages in both directions.
    public var messages: Int { sent.values.reduce(0, +) + received.values.reduce(0, +) }
}

/// Keeps ``BusTraffic``; shared by everything that sends or holds something.
final class ResourceCounter: Sendable {
    private let traffic = Mutex(BusTraffic())

    var current: BusTraffic { traffic.withLock { $0 } }

    func sent(_ member: String) { traffic.withLock { $0.sent[member, default: 0] += 1 } }

    /// The member of a signal is somebody else's text: only so many different ones are counted apart.
    func received(_ member: String) {
        traffic.withLock { traffic in
            let key = traffic.received[member] != nil || traffic.received.count < 64 ? member : "other"
            traffic.received[key, default: 0] += 1
        }
    }

    func dropped() { traffic.withLock { $0.dropped += 1 } }
    func packetSent() { traffic.withLock { $0.packetsSent += 1 } }
    func packetReceived() { traffic.withLock { $0.packetsReceived += 1 } }
    func setPending(_ count: Int) { traffic.withLock { $0.open.pendingCalls = count } }

    /// - Parameter change: listeners that came, less those that went.
    func countDiscoveries(_ change: Int) {
        if change != 0 { traffic.withLock { $0.open.discoveries += change } }
    }

    enum Resource { case subscription, socket, link, agent }

    func opened(_ resource: Resource) { count(resource, 1) }
    func closed(_ resource: Resource) { count(resource, -1) }

    private func count(_ resource: Resource, _ change: Int) {
        traffic.withLock { traffic in
            switch resource {
            case .subscription: traffic.open.subscriptions += change
            case .socket: traffic.open.sockets += change
            case .link: traffic.open.links += change
            case .agent: traffic.open.agents += change
            }
        }
    }
}
