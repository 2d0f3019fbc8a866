import CDBus
import Glibc

/// The bus thread's loop: one `poll` over the bus, the queue's bell and the acquired sockets.
final class BusLoop {
    /// dbus-daemon's system.conf allows 128 unanswered calls a connection.
    static let mostCalls = 64

    private let thread: BusThread
    private let listener: BusThread.Listener
    private var connection: BusConnection?
    /// By serial.
    private var pending: [UInt32: BusThread.Call] = [:]
    /// Calls that wait for a place.
    private var queue: [BusThread.Call] = []
    private var sockets: [AcquiredSocket] = []
    private var isStopping = false
    /// A bus which hangs up before its first message refuses this user.
    private var wasAccepted = false

    init(thread: BusThread, listener: BusThread.Listener) {
        self.thread = thread
        self.listener = listener
    }

    func run(address: String) {
        var reason = BlueZError.busLost
        do {
            let connection = try BusConnection(address: address)
            self.connection = connection
            while !isStopping {
                thread.takeCommands().forEach(perform)
                receive(from: connection)
                guard connection.isOpen else {
                    if !wasAccepted { reason = .busRefusesUser("") }
                    break
                }
                expire()
                let rest = listener.rest()
                if !isStopping { wait(on: connection, atMost: rest) }
            }
            if isStopping {
                for call in queue { _ = connection.send(call.request) }
                connection.flush()
            }
            connection.close()
            self.connection = nil
        } catch {
            reason = error
        }
        end(reason)
    }

    private func end(_ reason: BlueZError) {
        let orphans = thread.takeCommands(closing: reason)
        for call in pending.values { call.answer(.failure(reason)) }
        for call in queue { call.answer(.failure(reason)) }
        thread.traffic.count(.call, -pending.count)
        for case .send(let call) in orphans { call.answer(.failure(reason)) }
        sockets.forEach { $0.wakeAll() }
        listener.gone(reason)
    }

    private func perform(_ command: BusThread.Command) {
        switch command {
        case .send(let call):
            if pending.count < Self.mostCalls { send(call) } else { queue.append(call) }
        case .abandon(let id):
            queue.removeAll { $0.id == id }
            if let serial = pending.first(where: { $0.value.id == id })?.key { forget(serial) }
        case .watch(let socket):
            if !sockets.contains(where: { $0 === socket }) { sockets.append(socket) }
        case .stop: isStopping = true
        }
    }

    private func send(_ call: BusThread.Call) {
        // No serial means no memory.
        guard let serial = connection?.send(call.request) else { return call.answer(.failure(.busLost)) }
        pending[serial] = call
        thread.traffic.count(.sent(call.request.member))
        thread.traffic.count(.call)
    }

    @discardableResult
    private func forget(_ serial: UInt32) -> BusThread.Call? {
        guard let call = pending.removeValue(forKey: serial) else { return nil }
        thread.traffic.count(.call, -1)
        if !queue.isEmpty, !isStopping { send(queue.removeFirst()) }
        return call
    }

    private func receive(from connection: BusConnection) {
        while let message = connection.next() {
            defer { dbus_message_unref(message) }
            // libdbus announces the end of the connection by a message without a sender.
            wasAccepted = wasAccepted || dbus_message_get_sender(message) != nil
            let serial = dbus_message_get_reply_serial(message)
            // A late answer is not read: its descriptors are closed with it.
            let call = serial == 0 ? nil : forget(serial)
            if serial != 0, call == nil { continue }
            if let path = BusMessage.subject(of: message), !listener.isWanted(path.text, path.isChange) {
                thread.traffic.count(.dropped)
                continue
            }
            let read = BusMessage(reading: message)
            thread.traffic.count(.received)
            switch dbus_message_get_type(message) {
            case DBUS_MESSAGE_TYPE_METHOD_RETURN: call?.answer(.success(read))
            case DBUS_MESSAGE_TYPE_ERROR: call?.answer(.failure(BlueZError(name: read.errorName, text: read.body.first?.asText ?? "")))
            case DBUS_MESSAGE_TYPE_SIGNAL: listener.signal(read)
            case DBUS_MESSAGE_TYPE_METHOD_CALL: connection.answer(message, error: listener.call(read))
            default: break
            }
        }
    }

    private func expire() {
        let now = ContinuousClock.now
        let late = queue.filter { $0.isLate(now) }
        queue.removeAll { $0.isLate(now) }
        for call in late { call.answer(.failure(.daemonSilent)) }
        for serial in pending.filter({ $0.value.isLate(now) }).keys { forget(serial)?.answer(.failure(.daemonSilent)) }
    }

    private func wait(on connection: BusConnection, atMost rest: Duration?) {
        let all = sockets.map { (socket: $0, entry: $0.pollEntry) }
        let waiting = all.filter { $0.entry.events != 0 }
        sockets = waiting.map(\.socket)
        // By now the link's own signal, which came with the end of its sockets, has given a better reason.
        for (socket, entry) in all where entry.events == 0 { socket.endReceiving() }
        let entries = connection.poll([thread.bellEntry] + waiting.map(\.entry), milliseconds: milliseconds(atMost: rest)) ?? []
        for (socket, entry) in zip(sockets, entries.dropFirst()) where entry.revents != 0 { socket.handle(entry.revents) }
    }

    /// The time until something is due, rounded up; −1 when nothing is.
    private func milliseconds(atMost rest: Duration?) -> Int32 {
        let expiry = (pending.values.map(\.expiry) + queue.map(\.expiry)).compactMap { $0 }.min()
        guard let next = [expiry.map { ContinuousClock.now.duration(to: $0) }, rest].compactMap({ $0 }).min() else { return -1 }
        return Int32(clamping: Int((max(.zero, next) / .milliseconds(1)).rounded(.up)))
    }
}
