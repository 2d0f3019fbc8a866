import Foundation

/// The child process that runs a unit's program: one packet in, one packet out when it is done.
///
/// It gets no terminal, none of our signals, and one connection: a socket of whole packets, on descriptor 3.
final class InterpreterProcess {
    struct Failure: Error { let operation: String, code: Int32 }

    /// Bytes of the longest packet received.
    static let packetLimit = 65_536

    /// Seconds of real time after which a silent process is stuck.
    private static let longestTurn = 120
    private static let longestStart = 20
    private static let wireNumber: Int32 = 3
    // glibc's spawn.h, on every architecture.
    private static let newSession: Int16 = 0x80
    private static let signalMask: Int16 = 0x08
    private static let signalDefaults: Int16 = 0x04

    private let packetLimit: Int
    private let wire: Int32
    private var process: pid_t = 0

    /// - Parameters:
    ///   - arguments: begin with the program's path.
    ///   - environment: additional variables besides a search path, as `NAME=value`.
    init(_ arguments: [String], environment: [String] = [], packetLimit: Int = packetLimit) throws {
        self.packetLimit = packetLimit
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure(operation: "make a socket", code: errno) }
        defer { close(ends[1]) }
        wire = ends[0]
        limitWait(seconds: Self.longestStart)
        do {
            process = try Self.spawn(arguments, environment, wire: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
    }

    deinit { end() }

    func send(_ packet: [UInt8]) throws {
        let sent = packet.withUnsafeBytes { Glibc.send(wire, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent == packet.count else { throw Failure(operation: "wake the interpreter", code: errno) }
    }

    func receive() throws -> [UInt8] {
        let packet = [UInt8](unsafeUninitializedCapacity: packetLimit) { buffer, count in
            var got: Int
            repeat { got = recv(wire, buffer.baseAddress, buffer.count, 0) } while got < 0 && errno == EINTR
            count = max(0, got)
        }
        guard !packet.isEmpty else { throw Failure(operation: "hear from the interpreter", code: EPIPE) }
        return packet
    }

    /// The packet that shows that the process runs.
    func receiveFirst() throws -> [UInt8] {
        defer { limitWait(seconds: Self.longestTurn) }
        return try receive()
    }

    func end() {
        guard process > 0 else { return }
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        process = 0
        close(wire)
    }

    private func limitWait(seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(wire, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func spawn(_ arguments: [String], _ environment: [String], wire: Int32) throws -> pid_t {
        guard let program = arguments.first else { throw Failure(operation: "start the interpreter", code: EINVAL) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, wire, wireNumber)
        for descriptor: Int32 in 0...2 { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Ctrl-C is only for us, and a child would inherit the signals that our threads block or ignore.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, newSession | signalMask | signalDefaults)
        let argv = arguments.map { strdup($0) } + [nil]
        let envp = (environment + ["PATH=/usr/bin:/bin"]).map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, program, &actions, &attributes, argv, envp)
        guard code == 0 else { throw Failure(operation: "start \(program)", code: code) }
        return child
    }
}
