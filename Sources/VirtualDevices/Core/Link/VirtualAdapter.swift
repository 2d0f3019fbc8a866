import Bluetooth
import Synchronization

/// A host adapter with the limits of a real one: it refuses too many links, and a second connect beside one in progress.
public final class VirtualAdapter: Sendable {
    private struct State {
        var links = 0
        var isDialing = false
        var figures = Figures()
    }

    /// Results of its connects, counted over its whole life.
    package struct Figures: Sendable, Equatable {
        package var mostLinks = 0, connects = 0, refusals = 0, collisions = 0
    }

    package let linkLimit: Int
    private let state = Mutex(State())

    /// - Parameter linkLimit: simultaneous links.
    public init(linkLimit: Int) { self.linkLimit = linkLimit }

    package var figures: Figures { state.withLock { $0.figures } }
    package var links: Int { state.withLock { $0.links } }

    /// - Throws: ``LinkError/adapterFull(_:)`` with BlueZ's words for HCI 0x09 and 0x0C (BlueZ, `src/error.c`).
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
