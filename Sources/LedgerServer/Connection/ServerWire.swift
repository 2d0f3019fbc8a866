import Glibc
import Support

/// Connects libpq with a server, and limits what the server may send.
///
/// libpq has no limit: it allocates whatever length a message claims, and reads as long as more comes. So it gets one end of a socket
/// pair instead of its own socket, and the server's bytes piece by piece.
///
/// libpq 15 also sends a password in clear text to whoever asks: this stops such a message.
final class ServerWire {
    /// Bytes of one answer, or of all before the first one.
    static let answerLimit = 1 << 20
    private static let piece = 16 << 10

    private let server: Int32
    private let end: Int32
    /// Identifies libpq's end: libpq may reconnect under the same number.
    private let identity: [UInt64]
    private var received = 0
    private var toServer: ArraySlice<UInt8> = []
    private var isServerGone = false
    /// In libpq's form (PostgreSQL, PasswordMessage).
    private let clearText: [UInt8]
    private var isAskedForClearText = false

    /// Takes over a connected socket's number.
    init(inPlaceOf socket: Int32, password: String) throws(ServerFault) {
        let length = UInt32(password.utf8.count + 5)
        clearText = [UInt8(ascii: "p")] + withUnsafeBytes(of: length.bigEndian, Array.init) + password.utf8 + [0]
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw .lost(SystemError.last) }
        defer { close(pair[0]) }
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, dup2(pair[0], socket) >= 0, fcntl(socket, F_SETFD, FD_CLOEXEC) >= 0 else {
            let reason = SystemError.last
            close(pair[1])
            if copy >= 0 { close(copy) }
            throw .lost(reason)
        }
        (server, end, identity) = (copy, pair[1], Self.identity(socket))
    }

    deinit {
        sendOn()
        close(end)
        close(server)
    }

    func isBehind(_ socket: Int32) -> Bool { Self.identity(socket) == identity }

    private static func identity(_ descriptor: Int32) -> [UInt64] {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : []
    }

    func beginAnswer() { received = 0 }

    /// - Parameters:
    ///   - socket: libpq's end.
    ///   - events: for `poll`.
    func wait(_ socket: Int32, for events: Int32, until deadline: ContinuousClock.Instant) throws(ServerFault) {
        while true {
            let fromServer = events & POLLIN != 0 && !isServerGone ? POLLIN : 0
            let ready = try Self.poll(
                [(socket, events), (end, toServer.isEmpty ? POLLIN : 0), (server, fromServer | (toServer.isEmpty ? 0 : POLLOUT))],
                until: deadline)
            if ready[0] { return }
            if ready[1] || !toServer.isEmpty { sendOn() }
            if isAskedForClearText { throw .clearText }
            if ready[2], fromServer != 0 { try takeIn() }
        }
    }

    private func sendOn() {
        if toServer.isEmpty { toServer = Self.read(end) ?? [] }
        // Text that TLS has encrypted looks different.
        if toServer.suffix(clearText.count) == clearText[...] { (isAskedForClearText, toServer) = (true, []) }
        guard !toServer.isEmpty else { return }
        let count = toServer.withUnsafeBytes { send(server, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) }
        if count > 0 { toServer = toServer.dropFirst(count) }
        // The server is gone; its last bytes are still read.
        if count < 0, errno != EAGAIN, errno != EINTR { toServer = [] }
    }

    /// libpq's end is empty, and has room for a piece.
    private func takeIn() throws(ServerFault) {
        guard let piece = Self.read(server) else {
            isServerGone = true
            shutdown(end, Int32(SHUT_WR))
            return
        }
        received += piece.count
        guard received <= Self.answerLimit else { throw .tooLong }
        let count = piece.withUnsafeBytes { send(end, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count == piece.count else { throw .lost(SystemError.last) }
    }

    /// - Returns: `nil` at the end; empty while nothing is there.
    private static func read(_ descriptor: Int32) -> ArraySlice<UInt8>? {
        var bytes = [UInt8](repeating: 0, count: piece)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        if count > 0 { return bytes.prefix(count) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
    }

    /// - Returns: which of them are ready or have ended.
    static func poll(_ waits: [(descriptor: Int32, events: Int32)], until deadline: ContinuousClock.Instant) throws(ServerFault) -> [Bool] {
        // Even without events, poll would report the end of a socket.
        var descriptors = waits.map { pollfd(fd: $0.events == 0 ? -1 : $0.descriptor, events: Int16($0.events), revents: 0) }
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw .lost("no answer in time") }
            let (seconds, attoseconds) = left.components
            let milliseconds = min(seconds, 3600) * 1000 + attoseconds / 1_000_000_000_000_000 + 1
            let count = Glibc.poll(&descriptors, nfds_t(descriptors.count), Int32(milliseconds))
            if count > 0 { return descriptors.map { $0.revents != 0 } }
            guard count == 0 || errno == EINTR else { throw .lost(SystemError.last) }
        }
    }
}
