import CDBus
import Glibc
import Support

/// libdbus's connection, used only on the bus thread.
final class BusConnection {
    /// Far above bluetoothd's largest answer, which lists hundreds of devices.
    private static let largestMessage = 16 * 1024 * 1024
    private static let mostDescriptors = 4
    /// For messages still queued at the end.
    private static let flushMilliseconds: Int32 = 500

    private let connection: OpaquePointer
    private let watches = Watches()

    /// The watches of libdbus; a class because libdbus keeps a pointer to it.
    private final class Watches {
        var all: [OpaquePointer] = []
    }

    /// Connects. Opening a local socket does not block; authentication happens later, message by message.
    init(address: String) throws(BlueZError) {
        guard dbus_threads_init_default() != 0 else { throw .busLost }
        // SIGPIPE belongs to the program; libdbus sends with MSG_NOSIGNAL.
        dbus_connection_set_change_sigpipe(0)
        var error = DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let connection = dbus_connection_open_private(address, &error) else {
            throw .unopened(error.name.map { String(cString: $0) } ?? "", error.message.map { String(cString: $0) } ?? "")
        }
        self.connection = connection
        dbus_connection_set_exit_on_disconnect(connection, 0)
        dbus_connection_set_max_message_size(connection, Self.largestMessage)
        dbus_connection_set_max_message_unix_fds(connection, Self.mostDescriptors)
        dbus_connection_set_watch_functions(
            connection,
            { watch, data in
                guard let watch, let data else { return 0 }
                Unmanaged<Watches>.fromOpaque(data).takeUnretainedValue().all.append(watch)
                return 1
            },
            { watch, data in
                guard let watch, let data else { return }
                Unmanaged<Watches>.fromOpaque(data).takeUnretainedValue().all.removeAll { $0 == watch }
            },
            { _, _ in }, Unmanaged.passUnretained(watches).toOpaque(), nil)
    }

    var isOpen: Bool { dbus_connection_get_is_connected(connection) != 0 }

    /// - Returns: the serial, or `nil` when the message cannot be made.
    func send(_ request: BusRequest) -> UInt32? {
        guard let message = request.makeMessage() else { return nil }
        defer { dbus_message_unref(message) }
        var serial: dbus_uint32_t = 0
        return dbus_connection_send(connection, message, &serial) != 0 ? serial : nil
    }

    /// - Parameter error: its name; `nil` for an empty answer.
    func answer(_ call: OpaquePointer, error: String?) {
        guard dbus_message_get_no_reply(call) == 0 else { return }
        let made = error.map { dbus_message_new_error(call, $0, "noafw does not do this") } ?? dbus_message_new_method_return(call)
        guard let made else { return }
        dbus_connection_send(connection, made, nil)
        dbus_message_unref(made)
    }

    /// The next message that has arrived; the caller releases it.
    func next() -> OpaquePointer? { dbus_connection_pop_message(connection) }

    /// Waits for the bus and other descriptors, and serves the bus.
    /// - Returns: the others with their events; `nil` without any.
    func poll(_ others: [pollfd], milliseconds: Int32) -> [pollfd]? {
        let watched = watches.all.filter { dbus_watch_get_enabled($0) != 0 }
        var entries = watched.map { watch in
            let flags = dbus_watch_get_flags(watch)
            var events: Int16 = 0
            if flags & DBUS_WATCH_READABLE.rawValue != 0 { events |= Int16(POLLIN) }
            if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { events |= Int16(POLLOUT) }
            return pollfd(fd: dbus_watch_get_unix_fd(watch), events: events, revents: 0)
        } + others
        guard Glibc.poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return nil }
        for (watch, entry) in zip(watched, entries) where entry.revents != 0 { handle(watch, entry.revents) }
        return Array(entries.dropFirst(watched.count))
    }

    private func handle(_ watch: OpaquePointer, _ events: Int16) {
        // Handling one watch can remove another.
        guard watches.all.contains(watch) else { return }
        var flags: UInt32 = 0
        if events & Int16(POLLIN) != 0 { flags |= DBUS_WATCH_READABLE.rawValue }
        if events & Int16(POLLOUT) != 0 { flags |= DBUS_WATCH_WRITABLE.rawValue }
        if events & Int16(POLLERR) != 0 { flags |= DBUS_WATCH_ERROR.rawValue }
        if events & Int16(POLLHUP) != 0 { flags |= DBUS_WATCH_HANGUP.rawValue }
        dbus_watch_handle(watch, flags)
    }

    /// Sends the queued messages that the bus accepts in time.
    func flush() {
        let deadline = ContinuousClock.now.advanced(by: .milliseconds(Int(Self.flushMilliseconds)))
        while isOpen, dbus_connection_has_messages_to_send(connection) != 0, ContinuousClock.now < deadline {
            guard poll([], milliseconds: Self.flushMilliseconds) != nil else { return }
        }
    }

    func close() {
        dbus_connection_close(connection)
        while let message = next() { dbus_message_unref(message) }
        dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
        dbus_connection_unref(connection)
    }
}
