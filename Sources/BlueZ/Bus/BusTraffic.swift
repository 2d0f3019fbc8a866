import Synchronization

/// Counts what goes over the bus and the acquired sockets, and what is open now, so that tests find what is not given back.
public final class BusTraffic: Sendable {
    public enum Item: Hashable, Sendable {
        /// D-Bus messages sent, by member.
        case sent(String)
        /// D-Bus messages read, and signals dropped unread by the object that they were about.
        case received, dropped
        /// Packets through acquired sockets.
        case packetSent, packetReceived
        /// What is open now. A subscription's notifications come as signals; a call waits for its answer.
        case subscription, socket, call, discovery, link, agent
    }

    private let counts = Mutex<[Item: Int]>([:])

    /// All that is not zero.
    public var all: [Item: Int] { counts.withLock { $0.filter { $0.value != 0 } } }

    func count(_ item: Item, _ change: Int = 1) {
        if change != 0 { counts.withLock { $0[item, default: 0] += change } }
    }
}
