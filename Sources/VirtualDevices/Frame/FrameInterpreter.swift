import Foundation

/// The unit's Lua. It opens no file and has no other connection.
enum FrameInterpreter: InterpreterPort {
    /// What interrupts do to the interpreter between two turns.
    enum Input {
        /// Without its first byte.
        case data([UInt8])
        case breakSignal, tap
        case command([UInt8])
        /// - Parameter status: 0 for done.
        case answer(status: UInt8, [UInt8])
    }

    struct Radio {
        let isConnected, isSubscribed: Bool
        /// Bytes; 0 before the first MTU exchange since the reset.
        let payloadSize: Int
    }

    enum Reason {
        case budget
        /// `nil` waits for any event.
        case wait(Duration?)
        case question(operation: UInt8, [UInt8])
    }

    struct Turn {
        let used: Duration
        let reason: Reason
        let feedsWatchdog: Bool
    }

    static func start(python: String) throws -> InterpreterProcess {
        try InterpreterProcess([program(python: python), "--wire"], packetLimit: 98_304)
    }

    /// The interpreter next to the Python.
    static func program(python: String) -> String {
        URL(fileURLWithPath: python).deletingLastPathComponent().appendingPathComponent("frame-lua").path
    }

    static func bytes(of radio: Radio) -> [UInt8] {
        [(radio.isConnected ? 1 : 0) | (radio.isSubscribed ? 2 : 0)] + UInt16(clamping: radio.payloadSize).littleEndianBytes
    }

    static func pack(_ inputs: inout [Input]) -> [UInt8] {
        defer { inputs = [] }
        return inputs.flatMap(item)
    }

    private static func item(for input: Input) -> [UInt8] {
        let (kind, content): (UInt8, [UInt8]) = switch input {
        case .data(let value): (UInt8(ascii: "D"), value)
        case .breakSignal: (UInt8(ascii: "B"), [])
        case .tap: (UInt8(ascii: "T"), [])
        case .command(let value): (UInt8(ascii: "C"), value)
        case .answer(let status, let value): (UInt8(ascii: "A"), [status] + value)
        }
        return [kind] + UInt32(content.count).littleEndianBytes + content
    }

    static func turn(_ packet: [UInt8]) throws -> Turn {
        guard packet.count >= 6 else { throw InterpreterProcess.Failure(operation: "understand the interpreter", code: EBADMSG) }
        var reason = Reason.budget
        let rest = packet[6...]
        if rest.count >= 6 {
            let content = Array(rest.dropFirst(5))
            switch rest[rest.startIndex] {
            case UInt8(ascii: "W") where content.count == 4:
                let microseconds = UInt32(littleEndian: content)
                reason = .wait(microseconds == .max ? nil : .microseconds(Int64(microseconds)))
            case UInt8(ascii: "Q"): reason = .question(operation: content[0], Array(content.dropFirst()))
            default: break
            }
        }
        return Turn(used: .microseconds(Int64(UInt32(littleEndian: packet))), reason: reason, feedsWatchdog: packet[5] != 0)
    }
}
