import Bluetooth
import Support
import Synchronization

/// A link, from the first `Connect` to its end. Register here what must end with it.
final class Link: Sendable {
    private struct State {
        var end: LinkError?
        var isClosing = false
        var connectedAt: SessionClock.Instant?
        var nextToken = 0
        var endings: [Int: @Sendable (LinkError) -> Void] = [:]
    }

    static let closedHere = LinkError.disconnected("closed by this host")

    let device: String
    let address: DeviceAddress
    private let state = Mutex(State())

    init(device: String, address: DeviceAddress) {
        self.device = device
        self.address = address
    }

    var end: LinkError? { state.withLock { $0.end } }

    /// When bluetoothd reported Connected.
    var connectedAt: SessionClock.Instant? { state.withLock { $0.connectedAt } }

    func noteConnected(at now: SessionClock.Instant) { state.withLock { $0.connectedAt = now } }

    /// Names this host as the reason of the end, whatever signal comes first.
    func beginClosing() { state.withLock { $0.isClosing = true } }

    func requireAlive() throws { if let end { throw end } }

    /// Runs `ending` once when the link ends, at once if it has.
    /// - Returns: the argument for ``forget(_:)``.
    @discardableResult
    func whenEnded(_ ending: @escaping @Sendable (LinkError) -> Void) -> Int {
        let (token, end) = state.withLock { state -> (Int, LinkError?) in
            state.nextToken += 1
            if state.end == nil { state.endings[state.nextToken] = ending }
            return (state.nextToken, state.end)
        }
        if let end { ending(end) }
        return token
    }

    func forget(_ token: Int) { state.withLock { $0.endings[token] = nil } }

    func finish(_ reason: LinkError) {
        let (error, endings) = state.withLock { state -> (LinkError, [@Sendable (LinkError) -> Void]) in
            guard state.end == nil else { return (reason, []) }
            let error = state.isClosing ? Self.closedHere : reason
            state.end = error
            defer { state.endings = [:] }
            return (error, state.endings.sorted { $0.key < $1.key }.map(\.value))
        }
        endings.forEach { $0(error) }
    }
}
