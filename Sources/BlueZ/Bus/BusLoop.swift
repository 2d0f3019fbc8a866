import CDBus
import Foundation
import Glibc

/// What the bus thread does: one `poll` over the bus, the queue's bell and the acquired sockets.
final class BusLoop {
    private struct Pending {
        var id: BusThread.CallID
        var member: String
        var expiry: ContinuousClock.Instant?
        var answer: BusThread.Answer

        func isLate(_ now: ContinuousClock.Instant) -> Bool { expiry.map { $0 <= now } ?? false }
    }

    private let thread: BusThread
    private let listener: BusThread.Listener
    private var connection: BusConnection?
    /// A bus takes 128 unanswered calls of a connection (dbus-daemon's system.conf) and refuses the next one.
    static let mostCalls = 64

    private struct Queued {
        var request: BusRequest
        var call: Pending
    }

    private var pending: [UInt32: Pending] = [:]
    /// Calls that wait for an answer to one of those.
    private var queue: [Queued] = []
    private var sockets: [AcquiredSocket] = []
    private var isStopping = false
    /// The bus has said something: one that hangs up before that does not want this user.
    private var wasAccepted = false

    init(thread: BusThread, listener: BusThread.Listener) {
        self.thread = thread
        self.listener = listener
    }

    func run(address: String) {
        var reason = BusFailure.gone("closed by this process")
        do {
            let connection = try BusConnection(address: address)
            self.connection = connection
            while !isStopping {
                thread.takeCommands().forEach(perform)
                receive(from: connection)
                guard connection.isOpen else {
                    reason = wasAccepted
                        ? .gone("the bus ended the connection")
                        : .unopened(name: "org.freedesktop.DBus.Error.AuthFailed", text: "")
                    break
                }
                expire()
                let rest = listener.rest()
                if !isStopping { wait(on: connection, atMost: rest) }
            }
            if isStopping {
                for queued in queue { _ = connection.send(queued.request) }
                connection.flush()
            }
            connection.close()
            self.connection = nil
        } catch {
            reason = error
        }
        end(reason)
    }

    private func end(_ reason: BusFailure) {
        let orphans = thread.close(reason)
        for entry in pending.values { entry.answer(.failure(reason)) }
        for queued in queue { queued.call.answer(.failure(reason)) }
        thread.counter.setPending(0)
        for case .send(_, _, _, let answer) in orphans { answer(.failure(reason)) }
        sockets.forEach { $0.wakeAll() }
        listener.gone(reason)
    }

    private func perform(_ command: BusThread.Command) {
        switch command {
        case .send(let request, let id, let expiry, let answer):
            let queued = Queued(request: request, call: Pending(id: id, member: request.member, expiry: expiry, answer: answer))
            if pending.count < Self.mostCalls { send(queued) } else { queue.append(queued) }
        case .abandon(let id):
            queue.removeAll { $0.call.id == id }
            if let serial = pending.first(where: { $0.value.id == id })?.key { forget(serial) }
        case .watch(let socket):
            if !sockets.contains(where: { $0 === socket }) { sockets.append(socket) }
        case .stop: isStopping = true
        }
    }

    private func send(_ queued: Queued) {
        guard let serial = connection?.send(queued.request) else { return queued.call.answer(.failure(.gone("out of memory"))) }
        thread.counter.sent(queued.request.member)
        pending[serial] = queued.call
        thread.counter.setPending(pending.count)
    }

    @discardableResult
    private func forget(_ serial: UInt32) -> Pending? {
        let entry = pending.removeValue(forKey: serial)
        thread.counter.setPending(pending.count)
        if entry != nil, !queue.isEmpty, !isStopping { send(queue.removeFirst()) }
        return entry
    }

    private func receive(from connection: BusConnection) {
        while let message = connection.next() {
            defer { dbus_message_unref(message) }
            // libdbus itself announces the end of the connection with a message that nobody sent.
            wasAccepted = wasAccepted || dbus_message_get_sender(message) != nil
            let serial = dbus_message_get_reply_serial(message)
            // A late answer is not even read: a descriptor in it is closed with it.
            let entry = serial == 0 ? nil : forget(serial)
            if serial != 0, entry == nil { continue }
            if let path = BusMessage.subject(of: message), !listener.isWanted(path.text, path.isChange) {
                thread.counter.dropped()
                continue
            }
            guard let read = BusMessage(reading: message) else { continue }
            thread.counter.received(entry?.member ?? read.member)
            switch read.kind {
            case .reply: entry?.answer(.success(read))
            case .failure: entry?.answer(.failure(.refused(name: read.errorName, text: read.errorText)))
            case .signal: listener.signal(read)
            case .call: connection.answer(message, error: listener.call(read))
            }
        }
    }

    private func expire() {
        let now = ContinuousClock.now
        let late = queue.filter { $0.call.isLate(now) }
        queue.removeAll { $0.call.isLate(now) }
        for queued in late { queued.call.answer(.failure(.unanswered)) }
        for serial in pending.filter({ $0.value.isLate(now) }).keys { forget(serial)?.answer(.failure(.unanswered)) }
    }

    private func wait(on connection: BusConnection, atMost rest: Duration?) {
        sockets.removeAll { $0.pollEvents == 0 }
        var entries = [pollfd(fd: thread.bellDescriptor, events: Int16(POLLIN), revents: 0)]
        let watched = connection.pollEntries
        entries += watched.map(\.entry)
        entries += sockets.map { pollfd(fd: $0.pollDescriptor, events: $0.pollEvents, revents: 0) }
        guard poll(&entries, nfds_t(entries.count), milliseconds(atMost: rest)) > 0 else { return }
        for (watch, entry) in zip(watched, entries.dropFirst()) where entry.revents != 0 {
            connection.handle(watch.watch, entry.revents)
        }
        for (socket, entry) in zip(sockets, entries.dropFirst(1 + watched.count)) where entry.revents != 0 {
            socket.handle(entry.revents)
        }
    }

    /// Milliseconds to what is due next, rounded up; −1 when nothing is.
    private func milliseconds(atMost rest: Duration?) -> Int32 {
        let expiry = (pending.values.map(\.expiry) + queue.map(\.call.expiry)).compactMap { $0 }.min()
        guard let next = [expiry.map { ContinuousClock.now.duration(to: $0) }, rest].compactMap({ $0 }).min() else { return -1 }
        let parts = next.components
        let milliseconds = parts.seconds.multipliedReportingOverflow(by: 1000).partialValue
            + parts.attoseconds / 1_000_000_000_000_000 + 1
        return Int32(clamping: max(0, milliseconds))
    }
}
