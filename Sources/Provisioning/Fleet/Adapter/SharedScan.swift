import Bluetooth
import Support
import Synchronization

/// One discovery on one adapter for all listeners: it begins with the first and ends with the last.
///
/// Each has its own inbox, so a slow one delays nobody else. A discovery that fails ends all of them with its error.
final class SharedScan: Sendable {
    private struct Listener: Sendable {
        let sightings = Inbox<Advertisement>(overrun: LinkError.overrun)
        /// The discovery is up.
        let ready = Inbox<Void>(capacity: 1)
    }

    private struct State {
        var listeners: [UInt64: Listener] = [:]
        var count: UInt64 = 0
        /// Changes whenever the last listener leaves or the discovery fails.
        var run: UInt64 = 0
        var isUp = false
        var pump: Task<Void, any Error>?
        /// The last one, which may still be ending.
        var last: Task<Void, any Error>?
    }

    /// How often sightings are passed on: on crowded air each would wake every listener.
    private static let beat = Duration.milliseconds(20)

    private let base: any Central
    private let state = Mutex(State())

    init(_ base: any Central) { self.base = base }

    func listen() async throws -> any Discovery {
        let (number, listener) = enter()
        do {
            while try await listener.ready.next(before: base.clock.deadline(in: .forever), on: base.clock) == nil {}
        } catch {
            await leave(number)
            throw error
        }
        return SharedDiscovery(scan: self, number: number, sightings: listener.sightings)
    }

    private func enter() -> (UInt64, Listener) {
        state.withLock { state in
            let listener = Listener()
            state.count += 1
            state.listeners[state.count] = listener
            if state.isUp { listener.ready.deliver(()) }
            if state.pump == nil { start(&state) }
            return (state.count, listener)
        }
    }

    private func start(_ state: inout State) {
        let (run, last) = (state.run, state.last)
        let pump = base.clock.task { [self] in
            _ = await last?.result
            await perform(run)
        }
        (state.pump, state.last) = (pump, pump)
    }

    fileprivate func leave(_ number: UInt64) async {
        let pump = state.withLock { state -> Task<Void, any Error>? in
            guard let listener = state.listeners.removeValue(forKey: number) else { return nil }
            listener.sightings.finish(throwing: LinkError.disconnected("discovery stopped"))
            guard state.listeners.isEmpty, let pump = state.pump else { return nil }
            state.run += 1
            (state.pump, state.isUp) = (nil, false)
            return pump
        }
        pump?.cancel()
        _ = await pump?.result
    }

    // MARK: The discovery

    private func perform(_ run: UInt64) async {
        do {
            try Task.checkCancellation()
            let discovery = try await base.discover()
            do {
                comesUp(run)
                try await handOn(discovery.sightings, run)
            } catch {
                await discovery.stop()
                throw error
            }
        } catch {
            dies(run, error)
        }
    }

    private func comesUp(_ run: UInt64) {
        state.withLock { state in
            guard state.run == run else { return }
            state.isUp = true
            for listener in state.listeners.oldestFirst { listener.ready.deliver(()) }
        }
    }

    private func handOn(_ sightings: Inbox<Advertisement>, _ run: UInt64) async throws {
        let clock = base.clock
        while true {
            guard let first = try await sightings.next(before: clock.deadline(in: .forever), on: clock) else { continue }
            let listeners = state.withLock { $0.run == run ? $0.listeners.oldestFirst : [] }
            var next: Advertisement? = first
            while let sighting = next {
                for listener in listeners { listener.sightings.deliver(sighting) }
                next = sightings.poll()
            }
            try await clock.sleep(until: clock.deadline(in: Self.beat))
        }
    }

    private func dies(_ run: UInt64, _ error: any Error) {
        let ended = state.withLock { state -> [Listener] in
            guard state.run == run else { return [] }
            state.run += 1
            (state.pump, state.isUp) = (nil, false)
            defer { state.listeners = [:] }
            return state.listeners.oldestFirst
        }
        for listener in ended {
            listener.ready.finish(throwing: error)
            listener.sightings.finish(throwing: error)
        }
    }
}

private struct SharedDiscovery: Discovery {
    let scan: SharedScan
    let number: UInt64
    let sightings: Inbox<Advertisement>

    func stop() async { await scan.leave(number) }
}
