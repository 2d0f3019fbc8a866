import Bluetooth
import Support
import Synchronization

/// What a central sends; the unit takes these at its connection events.
package enum HostPacket: Sendable {
    /// `reply` is there for a write with response: the ATT error, or nil.
    case write(AttributeID, [UInt8], reply: Inbox<UInt8?>?)
    case subscribe(AttributeID, isOn: Bool, reply: Inbox<UInt8?>)
    case secure(SecurityRequest, reply: Inbox<SecurityAnswer>)
    case disconnect
}

/// Both ends of one link: the central writes into it, the unit's simulator carries packets over at its connection events.
package final class VirtualLink: Sendable {
    /// Packets that the host's controller takes before a sender has to wait.
    private static let controllerBuffers = 6

    private struct State {
        var uplink: [HostPacket] = []
        var inboxes: [AttributeID: Inbox<[UInt8]>] = [:]
        /// Characteristics whose channel is open.
        var acquired: Set<AttributeID> = []
        var end: LinkError?
        /// Called once, when the link ends.
        var whenEnded: (@Sendable () -> Void)?
    }

    /// How a link ends whose other side went away without a word.
    package static let supervisionTimeout = LinkError.disconnected("connection timed out")

    package let payloadSize: Int
    /// What the central discovers.
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

    /// - Parameter tell: called once: when the link ends, or at once.
    func whenEnded(_ tell: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state -> Bool in
            if state.end == nil { state.whenEnded = tell }
            return state.end != nil
        }
        if isOver { tell() }
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

    /// - Returns: whether nobody held it.
    func acquire(_ characteristic: AttributeID) -> Bool { state.withLock { $0.acquired.insert(characteristic).inserted } }

    func release(_ characteristic: AttributeID) { state.withLock { _ = $0.acquired.remove(characteristic) } }

    func isAcquired(_ characteristic: AttributeID) -> Bool { state.withLock { $0.acquired.contains(characteristic) } }

    func notify(_ characteristic: AttributeID, _ value: [UInt8]) {
        state.withLock { $0.inboxes[characteristic] }?.deliver(value)
    }

    /// Ends the link as the central sees it.
    func finish(_ error: LinkError) {
        let (inboxes, unanswered, whenEnded) = state.withLock { state -> ([Inbox<[UInt8]>], [HostPacket], (@Sendable () -> Void)?) in
            guard state.end == nil else { return ([], [], nil) }
            state.end = error
            defer { (state.uplink, state.whenEnded) = ([], nil) }
            return (Array(state.inboxes.values), state.uplink, state.whenEnded)
        }
        for inbox in inboxes { inbox.finish(throwing: error) }
        for case .write(_, _, let reply?) in unanswered { reply.finish(throwing: error) }
        for case .subscribe(_, _, let reply) in unanswered { reply.finish(throwing: error) }
        for case .secure(_, let reply) in unanswered { reply.finish(throwing: error) }
        credits.finish(throwing: error)
        gone.finish(throwing: error)
        whenEnded?()
    }
}
