import Foundation

/// The unit's Lua: a process of its own, in lockstep with the model.
///
/// It computes only between ``resume(_:radio:uptime:)`` and what that returns, so neither the host's load nor the speed of a run
/// shows in what the unit does. The messages are described in `Port/unit.h`. It opens no file and talks to nobody else.
final class FrameInterpreter {
    /// What the interrupts do to the interpreter between two turns.
    enum Input: Sendable, Hashable {
        /// Without its first byte.
        case data([UInt8])
        case breakSignal
        case tap
        case command([UInt8])
        /// - Parameter status: 0 for done.
        case answer(status: UInt8, [UInt8])
    }

    /// What the processor sees of the radio.
    struct Radio: Sendable, Hashable {
        var isConnected = false
        var isSubscribed = false
        /// Bytes; 0 before the first MTU exchange since the reset.
        var payloadSize = 0
    }

    enum Reason: Sendable, Hashable {
        case budget
        /// `nil`: until something comes.
        case wait(Duration?)
        case question(operation: UInt8, [UInt8])
    }

    struct Turn: Sendable, Hashable {
        var used: Duration
        var reason: Reason
        var feedsWatchdog: Bool
    }

    /// How long it computes at a time: nothing from outside is heard meanwhile.
    private static let slice = Duration.milliseconds(2)
    private static let packetLimit = 98_304

    private let process: InterpreterProcess

    init(python: String) throws {
        process = try InterpreterProcess([Self.program(python: python), "--wire"], packetLimit: Self.packetLimit)
    }

    /// The interpreter stands beside the Python.
    static func program(python: String) -> String {
        URL(fileURLWithPath: python).deletingLastPathComponent().appendingPathComponent("frame-lua").path
    }

    /// The first turn after the start.
    func begin() throws -> Turn { try turn(process.receiveFirst()) }

    /// Lets the interpreter go on. Its inputs happen first, in their order.
    /// - Parameter uptime: since the chip's reset.
    func resume(_ inputs: [Input], radio: Radio, uptime: Duration) throws -> Turn {
        var packet = Self.bytes(UInt32(Self.slice / .microseconds(1))) + Self.bytes(UInt64(max(0, uptime / .microseconds(1))))
        packet.append((radio.isConnected ? 1 : 0) | (radio.isSubscribed ? 2 : 0))
        packet += Self.bytes(UInt16(clamping: radio.payloadSize))
        for input in inputs { packet += Self.item(for: input) }
        try process.send(packet)
        return try turn(process.receive())
    }

    /// Ends the process; whatever was in the unit's RAM is gone.
    func end() { process.end() }
}

// MARK: - Messages

extension FrameInterpreter {
    static func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }

    private static func item(for input: Input) -> [UInt8] {
        let (kind, content): (UInt8, [UInt8]) = switch input {
        case .data(let value): (UInt8(ascii: "D"), value)
        case .breakSignal: (UInt8(ascii: "B"), [])
        case .tap: (UInt8(ascii: "T"), [])
        case .command(let value): (UInt8(ascii: "C"), value)
        case .answer(let status, let value): (UInt8(ascii: "A"), [status] + value)
        }
        return [kind] + bytes(UInt32(content.count)) + content
    }

    private func turn(_ packet: [UInt8]) throws -> Turn {
        guard packet.count >= 6 else { throw InterpreterProcess.Failure(operation: "understand the interpreter", code: EBADMSG) }
        var reason = Reason.budget
        let rest = packet[6...]
        if rest.count >= 6 {
            let content = Array(rest.dropFirst(5))
            switch rest[rest.startIndex] {
            case UInt8(ascii: "W") where content.count == 4:
                let microseconds = Self.word(content)
                reason = .wait(microseconds == .max ? nil : .microseconds(Int64(microseconds)))
            case UInt8(ascii: "Q"): reason = .question(operation: content[0], Array(content.dropFirst()))
            default: break
            }
        }
        return Turn(used: .microseconds(Int64(Self.word(packet))), reason: reason, feedsWatchdog: packet[5] != 0)
    }

    /// The first four bytes; what is missing is 0.
    static func word(_ bytes: some Collection<UInt8>) -> UInt32 {
        bytes.prefix(4).enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * $1.offset) }
    }
}
