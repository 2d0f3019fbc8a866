import Foundation

/// The unit's MicroPython: a process of its own, in lockstep with the model.
///
/// It computes only between ``resume(_:)`` and what that returns, so neither the host's load nor the speed of a run shows in
/// what the unit does. The messages are described in `Port/unit.h`. It opens the unit's files by itself and nothing else.
final class MonocleInterpreter {
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

    /// How long it computes at a time: nothing from outside is heard meanwhile.
    private static let slice = Duration.milliseconds(2)
    private static let packetLimit = InterpreterProcess.packetLimit

    private let process: InterpreterProcess

    init(_ launch: Launch) throws {
        let frozen = launch.scripts.appendingPathComponent("frozen").path
        process = try InterpreterProcess(
            Self.program(python: launch.python, scripts: launch.scripts) + [frozen, launch.files.path, launch.scratch.path],
            environment: ["PYTHONDONTWRITEBYTECODE=1"])
    }

    /// The frozen modules and the launcher.
    static func scripts() throws(UnitFolderError) -> URL { try Resources.own.locate("Python") }

    /// The words that start the interpreter: it stands beside the Python, or that finds it.
    static func program(python: String, scripts: URL) -> [String] {
        let beside = URL(fileURLWithPath: python).deletingLastPathComponent().appendingPathComponent("monocle-python").path
        return FileManager.default.isExecutableFile(atPath: beside) ? [beside] : [python, scripts.appendingPathComponent("launch.py").path]
    }

    /// The first turn after the start.
    func begin() throws -> Turn { try turn(process.receiveFirst()) }

    /// Lets the interpreter go on. Its inputs happen first, in their order.
    /// - Parameter uptime: since the chip's reset.
    func resume(_ inputs: [Input], radio: Radio, uptime: Duration) throws -> Turn {
        var packet = Self.bytes(UInt32(Self.slice / .microseconds(1))) + Self.bytes(UInt64(max(0, uptime / .microseconds(1))))
        packet.append((radio.isConnected ? 1 : 0) | (radio.hasREPLSubscription ? 2 : 0) | (radio.hasDataSubscription ? 4 : 0))
        packet += Self.bytes(UInt16(clamping: radio.payloadSize)) + [UInt8(clamping: radio.freePlaces)]
        for input in inputs { packet += Self.item(for: input) }
        try process.send(packet)
        return try turn(process.receive())
    }

    /// Ends the process; whatever was in the unit's RAM is gone.
    func end() { process.end() }
}

// MARK: - Messages

extension MonocleInterpreter {
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

    private func turn(_ packet: [UInt8]) throws -> Turn {
        guard packet.count >= 5 else { throw InterpreterProcess.Failure(operation: "understand the interpreter", code: EBADMSG) }
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
                outputs.append(.request(operation: content[0], number: Self.word(content[1...]), Array(content[3...])))
            case UInt8(ascii: "K") where content.count == 2: outputs.append(.abandoned(number: Self.word(content[...])))
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
