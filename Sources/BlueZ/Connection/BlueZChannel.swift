import Bluetooth
import Support

/// Writes without response. A packet is a datagram, not a bus message.
final class BlueZChannel: WriteChannel {
    private let session: BlueZSession
    private let link: Link
    private let socket: AcquiredSocket
    /// In bytes.
    private let limit: Int
    private let token: Int

    init(session: BlueZSession, link: Link, socket: AcquiredSocket, limit: Int) {
        self.session = session
        self.link = link
        self.socket = socket
        self.limit = limit
        token = link.whenEnded { _ in socket.close() }
    }

    deinit {
        link.forget(token)
        socket.close()
    }

    func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws {
        guard packet.count <= limit else { throw LinkError.valueTooLong(count: packet.count, limit: limit) }
        // bluetoothd takes an empty datagram for the end of the socket.
        guard !packet.isEmpty else { return }
        while true {
            try link.requireAlive()
            try Task.checkCancellation()
            switch socket.send(packet) {
            case .sent: return
            case .closed: throw link.end ?? .disconnected("bluetoothd closed the write channel")
            case .full: try await awaitRoom(before: deadline)
            }
        }
    }

    func close() async {
        link.forget(token)
        socket.close()
    }

    private func awaitRoom(before deadline: SessionClock.Instant) async throws {
        let bell = socket.roomBell()
        defer { socket.cancel(bell) }
        session.bus.post(.watch(socket))
        guard try await bell.next(before: deadline, on: session.clock) != nil else {
            throw LinkError.timedOut("room in bluetoothd's queue")
        }
    }
}
