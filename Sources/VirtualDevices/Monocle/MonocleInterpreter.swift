import Foundation

/// The unit's MicroPython: a process of its own, in lockstep with the model.
///
/// It computes only between ``resume(_:)`` and what that returns, so neither the host's load nor the speed of a run shows in
/// what the unit does. The messages are described in `Port/unit.h`. It opens the unit's files by itself and nothing else.
final class Interpreter {
    struct Launch: Sendable {
        /// A Python 3 beside which `monocle-python` stands (`Tools/setup runtime`), or a program that acts as one.
        var python: String
        /// Our `launch.py` and the frozen modules.
        var scripts: URL
        var files: URL
        /// Where a file is written before it takes its place.
        var scratch: URL
    }

    /// What reaches the interpreter while it waits.
    enum Input: Sendable, Hashable {
        case terminal([UInt8])
        case data([UInt8])
        /// 1 pad A, 2 pad B, 3 both.
        case touch(UInt8)
        /// - Parameter status: 0 answered, 1 ValueError, 2 OSError with the bytes as its message.
        case answer(number: UInt16, status: UInt8, [UInt8])
        /// The radio's interrupt ran into an allocation and does not come back.
        case deafness

        var isAnswer: Bool { if case .answer = self { true } else { false } }

        /// In a message, its head included.
        var byteCount: Int {
            switch self {
            case .terminal(let value), .data(let value): 3 + value.count
            case .answer(_, _, let value): 6 + value.count
            case .touch: 4
            case .deafness: 3
            }
        }
    }

    /// Bytes of inputs in one message, with room for its head.
    static let inputLimit = packetLimit - 256

    /// What the processor sees of the radio.
    struct Radio: Sendable, Hashable {
        var isConnected = false
        var hasREPLSubscription = false
        var hasDataSubscription = false
        /// Bytes; 0 before the first MTU exchange since the reset.
        var payloadSize = 0
        var freePlaces = 0
    }

    enum Output: Sendable, Hashable {
        case terminal([UInt8])
        case data([UInt8])
        case request(operation: UInt8, number: UInt16, [UInt8])
        /// What was asked with this number was interrupted.
        case abandoned(number: UInt16)
    }

    enum Reason: Sendable, Hashable {
        case budget
        /// `nil`: until something comes.
        case wait(Duration?)
        case answer
        case room
    }

    struct Turn: Sendable, Hashable {
        var used: Duration
        var reason: Reason
        var outputs: [Output]
    }

    struct Failure: Error { let operation: String, code: Int32 }

    /// In real time; a process that is silent for so long is stuck.
    private static let longestTurn = 120
    /// The same of its first sign of life.
    private static let longestStart = 20
    /// How long it computes at a time: nothing from outside is heard meanwhile.
    private static let slice = Duration.milliseconds(2)
    private static let packetLimit = 65_536
    private static let wireNumber: Int32 = 3
    private static let newSession: Int16 = 0x80
    private static let signalMask: Int16 = 0x08
    private static let signalDefaults: Int16 = 0x04

    private let wire: Int32
    private var process: pid_t = 0

    init(_ launch: Launch) throws {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure(operation: "make a socket", code: errno)
        }
        defer { close(ends[1]) }
        wire = ends[0]
        limitWait(seconds: Self.longestStart)
        do {
            process = try Self.spawn(
                Self.program(python: launch.python, scripts: launch.scripts) + [launch.scripts.appendingPathComponent("frozen").path, launch.files.path, launch.scratch.path],
                wire: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
    }

    deinit { end() }

    /// The words that start the interpreter: it stands beside the Python, or that finds it.
    static func program(python: String, scripts: URL) -> [String] {
        let beside = URL(fileURLWithPath: python).deletingLastPathComponent().appendingPathComponent("monocle-python").path
        return FileManager.default.isExecutableFile(atPath: beside) ? [beside] : [python, scripts.appendingPathComponent("launch.py").path]
    }

    /// The first turn after the start.
    func begin() throws -> Turn {
        defer { limitWait(seconds: Self.longestTurn) }
        return try receive()
    }

    private func limitWait(seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(wire, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Lets the interpreter go on. Its inputs happen first, in their order.
    /// - Parameter uptime: since the chip's reset.
    func resume(_ inputs: [Input], radio: Radio, uptime: Duration) throws -> Turn {
        var packet = Self.bytes(UInt32(Self.slice / .microseconds(1))) + Self.bytes(UInt64(max(0, uptime / .microseconds(1))))
        packet.append((radio.isConnected ? 1 : 0) | (radio.hasREPLSubscription ? 2 : 0) | (radio.hasDataSubscription ? 4 : 0))
        packet += Self.bytes(UInt16(clamping: radio.payloadSize)) + [UInt8(clamping: radio.freePlaces)]
        for input in inputs { packet += Self.item(for: input) }
        guard packet.withUnsafeBytes({ send(wire, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }) == packet.count else {
            throw Failure(operation: "wake the interpreter", code: errno)
        }
        return try receive()
    }

    /// Ends the process; whatever was in the unit's RAM is gone.
    func end() {
        guard process > 0 else { return }
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        process = 0
        close(wire)
    }
}

// MARK: - Messages

extension Interpreter {
    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }

    private static func item(for input: Input) -> [UInt8] {
        let (kind, content): (UInt8, [UInt8]) = switch input {
        case .terminal(let value): (UInt8(ascii: "R"), value)
        case .data(let value): (UInt8(ascii: "D"), value)
        case .touch(let pad): (UInt8(ascii: "T"), [pad])
        case .answer(let number, let status, let value): (UInt8(ascii: "A"), bytes(number) + [status] + value)
        case .deafness: (UInt8(ascii: "X"), [])
        }
        return [kind] + bytes(UInt16(clamping: content.count)) + content.prefix(Int(UInt16.max))
    }

    private func receive() throws -> Turn {
        let packet = [UInt8](unsafeUninitializedCapacity: Self.packetLimit) { buffer, count in
            var got: Int
            repeat { got = recv(wire, buffer.baseAddress, buffer.count, 0) } while got < 0 && errno == EINTR
            count = max(0, got)
        }
        guard packet.count >= 5 else { throw Failure(operation: "hear from the interpreter", code: packet.isEmpty ? EPIPE : EBADMSG) }
        return Self.turn(packet)
    }

    private static func turn(_ packet: [UInt8]) -> Turn {
        let used = packet[..<4].enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << (8 * $1.offset) }
        var outputs: [Output] = []
        var wait: Duration?
        var rest = packet[5...]
        while rest.count >= 3 {
            let (kind, length) = (rest[rest.startIndex], Int(rest[rest.startIndex + 1]) | Int(rest[rest.startIndex + 2]) << 8)
            let content = Array(rest.dropFirst(3).prefix(length))
            rest = rest.dropFirst(3 + length)
            switch kind {
            case UInt8(ascii: "N"): outputs.append(.terminal(content))
            case UInt8(ascii: "M"): outputs.append(.data(content))
            case UInt8(ascii: "Q") where content.count >= 3:
                outputs.append(.request(operation: content[0], number: word(content[1...]), Array(content[3...])))
            case UInt8(ascii: "K") where content.count == 2: outputs.append(.abandoned(number: word(content[...])))
            case UInt8(ascii: "W") where content.count == 4:
                let microseconds = content.enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << (8 * $1.offset) }
                wait = microseconds == .max ? nil : .microseconds(Int64(microseconds))
            default: break
            }
        }
        let reason: Reason = switch packet[4] {
        case 1: .wait(wait)
        case 2: .answer
        case 3: .room
        default: .budget
        }
        return Turn(used: .microseconds(Int64(used)), reason: reason, outputs: outputs)
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt16 { UInt16(bytes[bytes.startIndex]) | UInt16(bytes[bytes.startIndex + 1]) << 8 }
}

// MARK: - The process

extension Interpreter {
    private static func spawn(_ arguments: [String], wire: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, wire, wireNumber)
        for descriptor: Int32 in 0...2 { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Ctrl-C is for us alone, and a child would inherit the signals that our threads block or ignore.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, newSession | signalMask | signalDefaults)
        let argv = arguments.map { strdup($0) } + [nil]
        let envp: [UnsafeMutablePointer<CChar>?] = [strdup("PYTHONDONTWRITEBYTECODE=1"), strdup("PATH=/usr/bin:/bin"), nil]
        defer { for pointer in argv + envp { free(pointer) } }
        guard let program = arguments.first else { throw Failure(operation: "start the interpreter", code: EINVAL) }
        var child: pid_t = 0
        let code = posix_spawn(&child, program, &actions, &attributes, argv, envp)
        guard code == 0 else { throw Failure(operation: "start \(program)", code: code) }
        return child
    }
}
