import Bluetooth
import Synchronization

/// What a real adapter refuses: more links than its firmware takes, and a second connect beside one that is under way.
///
/// Several may be on one ``VirtualAir``, and each hears in its own way.
public final class VirtualAdapter: Sendable {
    private struct State {
        var links = 0
        var isDialing = false
        var figures = Figures()
    }

    /// Counted over its whole life.
    public struct Figures: Sendable, Equatable {
        /// The most links at one time.
        public var mostLinks = 0
        /// Links that were made.
        public var connects = 0
        /// Connects that were refused because it was full.
        public var refusals = 0
        /// Connects that were begun beside another one.
        public var collisions = 0
    }

    /// Links at once.
    public let linkLimit: Int
    /// What it hears of a unit, in dBm; `nil` for one out of its reach.
    private let strength: @Sendable (Advertisement) -> Int?
    private let state = Mutex(State())

    /// - Parameter strength: what it hears of an advertisement, in dBm; `nil` for nothing.
    public init(linkLimit: Int, strength: @escaping @Sendable (Advertisement) -> Int? = { $0.rssi }) {
        self.linkLimit = linkLimit
        self.strength = strength
    }

    public var figures: Figures { state.withLock { $0.figures } }
    /// Links that are up.
    public var links: Int { state.withLock { $0.links } }

    func hear(_ advertisement: Advertisement) -> Advertisement? {
        guard let rssi = strength(advertisement) else { return nil }
        var heard = advertisement
        heard.rssi = rssi
        return heard
    }

    /// - Throws: ``LinkError/adapterFull(_:)`` with BlueZ's words: for HCI 0x09 and 0x0C (BlueZ, `src/error.c`).
    func beginDial() throws {
        try state.withLock { state in
            guard !state.isDialing else {
                state.figures.collisions += 1
                throw LinkError.adapterFull("le-connection-busy")
            }
            guard state.links < linkLimit else {
                state.figures.refusals += 1
                throw LinkError.adapterFull("le-connection-concurrent-connection-limit")
            }
            state.isDialing = true
        }
    }

    /// - Parameter link: `nil` when none came about.
    func endDial(with link: VirtualLink?) {
        state.withLock { state in
            state.isDialing = false
            guard link != nil else { return }
            state.links += 1
            state.figures.connects += 1
            state.figures.mostLinks = max(state.figures.mostLinks, state.links)
        }
        link?.whenEnded { [weak self] in self?.state.withLock { $0.links -= 1 } }
    }
}
