import Bluetooth
import Synchronization

/// One link, from the first `Connect` to its end. Whatever must end with it registers here.
final class Link: Sendable {
    private struct State {
        var end: LinkError?
        var nextToken = 0
        var endings: [Int: @Sendable (LinkError) -> Void] = [:]
    }

    let device: String
    let address: DeviceAddress
    private let state = Mutex(State())

    init(device: String, address: DeviceAddress) {
        self.device = device
        self.address = address
    }

    var end: LinkError? { state.withLock { $0.end } }

    func requireAlive() throws { if let end { throw end } }

    /// Runs `ending` once when the link ends, at once if it has.
    /// - Returns: what ``forget(_:)`` takes.
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

    func finish(_ error: LinkError) {
        let endings = state.withLock { state -> [@Sendable (LinkError) -> Void] in
            guard state.end == nil else { return [] }
            state.end = error
            defer { state.endings = [:] }
            return state.endings.sorted { $0.key < $1.key }.map(\.value)
        }
        endings.forEach { $0(error) }
    }
}
