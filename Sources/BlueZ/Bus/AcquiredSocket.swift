import Bluetooth
import Glibc
import Support
import Synchronization

/// A packet socket (SOCK_SEQPACKET) from bluetoothd: one datagram is one write command or one notification.
final class AcquiredSocket: Sendable {
    enum Outcome: Sendable, Hashable {
        case sent
        /// bluetoothd has not drained the socket yet.
        case full
        /// The link or the socket was closed.
        case closed
    }

    private struct State {
        var waiters: [Inbox<Void>] = []
        var hasEnded = false
        /// Reused for each packet: an attribute's value has at most 512 bytes (Core 5.4, Vol 3, Part F, 3.2.9).
        var buffer = [UInt8](repeating: 0, count: 1024)
    }

    private let descriptor: OwnedDescriptor
    private let traffic: BusTraffic
    /// Where notifications go; `nil` for writes.
    private let receiver: Inbox<[UInt8]>?
    private let state = Mutex(State())

    init(_ descriptor: OwnedDescriptor, traffic: BusTraffic, receiver: Inbox<[UInt8]>?) {
        self.descriptor = descriptor
        self.traffic = traffic
        self.receiver = receiver
        traffic.count(.socket)
        _ = descriptor.use { fcntl($0, F_SETFL, O_NONBLOCK) }
    }

    deinit { close() }

    func send(_ packet: [UInt8]) -> Outcome {
        let result = descriptor.use { descriptor -> Outcome in
            while true {
                let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                let count = packet.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
                if count >= 0 { return .sent }
                if errno == EINTR { continue }
                return errno == EAGAIN || errno == ENOBUFS ? .full : .closed
            }
        }
        if result == .sent { traffic.count(.packetSent) }
        return result ?? .closed
    }

    /// Gets an element when there may be room or the socket has ended.
    func roomBell() -> Inbox<Void> {
        let bell = Inbox<Void>(capacity: 4)
        state.withLock { $0.waiters.append(bell) }
        return bell
    }

    func cancel(_ bell: Inbox<Void>) {
        state.withLock { state in state.waiters.removeAll { $0 === bell } }
    }

    func close() {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        guard isFirst else { return }
        descriptor.close()
        traffic.count(.socket, -1)
        wakeAll()
    }

    func wakeAll() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        waiters.forEach { $0.deliver(()) }
    }

    // MARK: For the bus thread

    /// What to wait for; no events if nothing.
    var pollEntry: pollfd {
        state.withLock { state in
            var events: Int16 = receiver == nil ? 0 : Int16(POLLIN)
            if !state.waiters.isEmpty { events |= Int16(POLLOUT) }
            return pollfd(fd: descriptor.use { $0 } ?? -1, events: state.hasEnded ? 0 : events, revents: 0)
        }
    }

    func handle(_ events: Int16) {
        if events & Int16(POLLIN | POLLHUP | POLLERR) != 0 { drain() }
        if events & Int16(POLLOUT | POLLHUP | POLLERR | POLLNVAL) != 0 { wakeAll() }
    }

    /// Reads all notifications, including the last ones before a disconnect.
    func drain() {
        guard let receiver else { return }
        while let packet = receive() {
            if packet.isEmpty { return close() }
            traffic.count(.packetReceived)
            receiver.deliver(packet)
        }
    }

    /// Ends the notifications if bluetoothd closed the socket.
    func endReceiving() {
        guard let receiver, state.withLock(\.hasEnded) else { return }
        receiver.finish(throwing: LinkError.disconnected("bluetoothd closed the notifications"))
    }

    /// - Returns: `nil` when there is nothing now, an empty packet at the end.
    private func receive() -> [UInt8]? {
        state.withLock { state in
            let count = descriptor.use { descriptor in
                state.buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
            }
            guard let count, count >= 0 else { return nil }
            return Array(state.buffer[..<count])
        }
    }
}

/// A file descriptor that is closed once, at the latest with its last owner.
final class OwnedDescriptor: Sendable {
    private let number: Mutex<Int32>

    init(_ number: Int32) { self.number = Mutex(number) }

    deinit { close() }

    /// Runs `body` on the descriptor and keeps it open meanwhile; `nil` if it is closed.
    func use<Value>(_ body: (Int32) -> Value) -> Value? {
        number.withLock { $0 >= 0 ? body($0) : nil }
    }

    /// Ends the traffic at once, even while another thread polls it.
    func close() {
        number.withLock { number in
            guard number >= 0 else { return }
            shutdown(number, Int32(SHUT_RDWR))
            _ = Glibc.close(number)
            number = -1
        }
    }
}
