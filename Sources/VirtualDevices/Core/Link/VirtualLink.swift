import Bluetooth
import Support
import Synchronization

package enum HostPacket: Sendable {
    /// - Parameter reply: for a write with response: the ATT error, or nil.
    case write(AttributeID, [UInt8], reply: Inbox<UInt8?>?)
    case subscribe(AttributeID, isOn: Bool, reply: Inbox<UInt8?>)
    case secure(SecurityRequest, reply: Inbox<SecurityAnswer>)
    case disconnect

    /// Tells whoever waits for its answer that the link has ended.
    var failure: Failure? {
        switch self {
        case .write(_, _, let reply?), .subscribe(_, _, let reply): { reply.finish(throwing: $0) }
        case .secure(_, let reply): { reply.finish(throwing: $0) }
        case .write, .disconnect: nil
        }
    }

    typealias Failure = @Sendable (LinkError) -> Void
}

/// Both ends of one link: the central writes, the unit reads packets at its connection events.
package final class VirtualLink: Sendable {
    /// Packets that the host's controller can hold.
    package static let controllerBuffers = 6

    private struct State {
        var uplink: [HostPacket] = []
        /// Of packets that reached a unit which then left the link, or that were lost with it.
        var abandoned: [HostPacket.Failure] = []
        var inboxes: [AttributeID: Inbox<[UInt8]>] = [:]
        var acquired: Set<AttributeID> = []
        var end: LinkError?
        var whenEnded: (@Sendable () -> Void)?
    }

    /// How a link ends whose other side vanished.
    package static let supervisionTimeout = LinkError.disconnected("connection timed out")

    package let payloadSize: Int
    package let table: GATTTable
    package let credits = Inbox<Void>()
    package let gone = Inbox<Void>()
    private let state = Mutex(State())
    private let unit: Inbox<UnitEvent>

    init(payloadSize: Int, table: GATTTable, unit: Inbox<UnitEvent>) {
        self.payloadSize = payloadSize
        self.table = table
        self.unit = unit
        for _ in 0..<Self.controllerBuffers { credits.deliver(()) }
    }

    package var end: LinkError? { state.withLock { $0.end } }

    package func send(_ packet: HostPacket) throws {
        let wasEmpty = try state.withLock { state -> Bool in
            if let end = state.end { throw end }
            state.uplink.append(packet)
            return state.uplink.count == 1
        }
        if wasEmpty { unit.deliver(.linkActivity) }
    }

    /// - Parameter report: called once: when the link ends, or immediately.
    func whenEnded(_ report: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state -> Bool in
            if state.end == nil { state.whenEnded = report }
            return state.end != nil
        }
        if isOver { report() }
    }

    func takePacket() -> HostPacket? {
        state.withLock { $0.uplink.isEmpty ? nil : $0.uplink.removeFirst() }
    }

    var firstPacketLength: Int? {
        state.withLock { state in
            guard let first = state.uplink.first else { return nil }
            if case .write(_, let value, _) = first { return value.count }
            return 2
        }
    }

    package func inbox(for characteristic: AttributeID) -> Inbox<[UInt8]> {
        state.withLock { state in
            let inbox = state.inboxes[characteristic] ?? Inbox(overrun: LinkError.overrun)
            state.inboxes[characteristic] = inbox
            if let end = state.end { inbox.finish(throwing: end) }
            return inbox
        }
    }

    /// - Returns: whether it was free.
    func acquire(_ characteristic: AttributeID) -> Bool { state.withLock { $0.acquired.insert(characteristic).inserted } }

    func release(_ characteristic: AttributeID) { state.withLock { _ = $0.acquired.remove(characteristic) } }

    func isAcquired(_ characteristic: AttributeID) -> Bool { state.withLock { $0.acquired.contains(characteristic) } }

    func notify(_ characteristic: AttributeID, _ value: [UInt8]) {
        state.withLock { $0.inboxes[characteristic] }?.deliver(value)
    }

    /// The unit left the link before it answered: the central hears of it when the link ends.
    func abandon(_ failures: [HostPacket.Failure]) {
        let end = state.withLock { state in
            if state.end == nil { state.abandoned += failures }
            return state.end
        }
        if let end { for fail in failures { fail(end) } }
    }

    /// Ends the link as the central sees it.
    func finish(_ error: LinkError) {
        let (ended, whenEnded) = state.withLock { state -> (State?, (@Sendable () -> Void)?) in
            guard state.end == nil else { return (nil, nil) }
            state.end = error
            defer { (state.uplink, state.abandoned, state.whenEnded) = ([], [], nil) }
            return (state, state.whenEnded)
        }
        if let ended {
            let inboxes = ended.inboxes.sorted { $0.key.description < $1.key.description }.map(\.value)
            for inbox in inboxes { inbox.finish(throwing: error) }
            for fail in ended.uplink.compactMap(\.failure) + ended.abandoned { fail(error) }
        }
        credits.finish(throwing: error)
        gone.finish(throwing: error)
        whenEnded?()
    }
}

/// A unit's answer to a connect. A late link ends immediately.
package final class LinkReply: Sendable {
    private let answer = Inbox<Result<VirtualLink, LinkError>>()
    private let isGivenUp = Mutex(false)

    package init() {}

    func deliver(_ result: Result<VirtualLink, LinkError>) {
        let isLate = isGivenUp.withLock { isGivenUp in
            if !isGivenUp { answer.deliver(result) }
            return isGivenUp
        }
        if isLate { Self.end(result) }
    }

    /// - Returns: `nil` when the deadline passed first.
    package func wait(before deadline: SessionClock.Instant, on clock: SessionClock) async throws -> Result<VirtualLink, LinkError>? {
        do {
            if let result = try await answer.next(before: deadline, on: clock) { return result }
        } catch {
            giveUp()
            throw error
        }
        giveUp()
        return nil
    }

    func poll() -> Result<VirtualLink, LinkError>? { answer.poll() }

    private func giveUp() {
        isGivenUp.withLock { $0 = true }
        if let result = answer.poll() { Self.end(result) }
    }

    private static func end(_ result: Result<VirtualLink, LinkError>) {
        if case .success(let link) = result { try? link.send(.disconnect) }
    }
}

/// What reaches a virtual unit's simulator from outside.
package enum UnitEvent: Sendable {
    case connect(requestedMTU: Int, reply: LinkReply)
    case linkActivity
    /// Repeat the advertisement until nobody listens.
    case beginAdvertising
    case input(UserInput)
    case network
}

/// The unit's end of a link.
struct ActiveLink {
    enum Downlink {
        /// - Parameter isData: it belongs to the app's own service.
        case notification(AttributeID, [UInt8], isData: Bool)
        case reply(Inbox<UInt8?>, UInt8?)
        case security(Inbox<SecurityAnswer>, SecurityAnswer)
    }

    let link: VirtualLink
    let pace: LinkPace
    /// Connection events happen at whole intervals after this.
    let anchor: Duration
    var nextEvent: Duration?
    var subscriptions: Set<AttributeID> = []
    var isEncrypted = false
    var downlink: [Downlink] = []

    /// Of the answers that have not been sent.
    var failures: [HostPacket.Failure] {
        downlink.compactMap { item in
            switch item {
            case .reply(let inbox, _): { inbox.finish(throwing: $0) }
            case .security(let inbox, _): { inbox.finish(throwing: $0) }
            case .notification: nil
            }
        }
    }

    var queuedNotifications: Int { downlink.count { if case .notification = $0 { true } else { false } } }
}
