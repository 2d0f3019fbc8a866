import Synchronization

/// Counts messages, packets and open things, so that tests find leaks.
public final class BusTraffic: Sendable {
    /// What is counted.
    public enum Item: Hashable, Sendable {
        /// D-Bus messages sent, by member.
        case sent(String)
        /// D-Bus messages read, and signals dropped unread because of their object.
        case received, dropped
        /// Packets through acquired sockets.
        case packetSent, packetReceived
        /// Open now. A subscription's notifications come as signals; a call waits for its answer.
        case subscription, socket, call, discovery, link, agent
    }

    private let counts = Mutex<[Item: Int]>([:])

    /// All counts other than zero.
    public var all: [Item: Int] { counts.withLock { $0.filter { $0.value != 0 } } }

    func count(_ item: Item, _ change: Int = 1) {
        if change != 0 { counts.withLock { $0[item, default: 0] += change } }
    }
}
