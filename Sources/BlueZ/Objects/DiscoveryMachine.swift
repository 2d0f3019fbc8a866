/// Keeps bluetoothd's one discovery session of this process in step with how many want it: events in, requests out.
///
/// bluetoothd answers InProgress to a stop while a start is under way, so the next request waits for the answer.
struct DiscoveryMachine: Sendable {
    enum Request: Sendable, Hashable {
        /// SetDiscoveryFilter and StartDiscovery.
        case start(adapter: String)
        case stop(adapter: String)
    }

    private enum Phase: Sendable, Hashable {
        case idle
        case starting(adapter: String)
        case running(adapter: String)
        case stopping(adapter: String)
    }

    private var phase = Phase.idle
    /// How many listen for sightings.
    private(set) var listeners = 0
    /// How many connection attempts want the radio for themselves.
    private(set) var pauses = 0
    private var adapter = ""

    /// The adapter that discovers.
    var runningOn: String? { if case .running(let adapter) = phase { adapter } else { nil } }
    var isIdle: Bool { phase == .idle }

    func uses(_ adapter: String) -> Bool { listeners > 0 && adapter == self.adapter }

    mutating func addListener(on adapter: String) -> Request? {
        listeners += 1
        self.adapter = adapter
        return next()
    }

    mutating func removeListener() -> Request? {
        listeners = max(0, listeners - 1)
        return next()
    }

    mutating func pause() -> Request? {
        pauses += 1
        return next()
    }

    mutating func resume() -> Request? {
        pauses = max(0, pauses - 1)
        return next()
    }

    /// Stops the discovery that runs; the answer starts it again, while it is wanted.
    mutating func renew() -> Request? {
        guard case .running(let adapter) = phase else { return nil }
        phase = .stopping(adapter: adapter)
        return .stop(adapter: adapter)
    }

    /// The answer to ``Request/start(adapter:)``.
    mutating func started(_ isOn: Bool) -> Request? {
        guard case .starting(let adapter) = phase else { return nil }
        phase = isOn ? .running(adapter: adapter) : .idle
        if !isOn {
            listeners = 0
            return nil
        }
        return next()
    }

    /// The answer to ``Request/stop(adapter:)``, whatever it says: an error means that nothing ran.
    mutating func stopped() -> Request? {
        guard case .stopping = phase else { return nil }
        phase = .idle
        return next()
    }

    /// bluetoothd or the adapter is gone and nothing runs any more.
    mutating func lost() {
        phase = .idle
        listeners = 0
    }

    private mutating func next() -> Request? {
        let isWanted = listeners > 0 && pauses == 0
        switch phase {
        case .idle where isWanted:
            phase = .starting(adapter: adapter)
            return .start(adapter: adapter)
        case .running(let adapter) where !isWanted || adapter != self.adapter:
            phase = .stopping(adapter: adapter)
            return .stop(adapter: adapter)
        default: return nil
        }
    }
}
