import Foundation

/// The unit's MicroPython. It opens only the unit's files.
enum MonocleInterpreter: InterpreterPort {
    enum Input {
        case terminal([UInt8])
        case data([UInt8])
        /// 1 pad A, 2 pad B, 3 both.
        case touch(UInt8)
        case answer(number: UInt16, [UInt8])
        /// The radio's interrupt hit an allocation and never returns.
        case deafness

        var isAnswer: Bool { if case .answer = self { true } else { false } }
    }

    struct Radio: Equatable {
        var isConnected = false
        var hasREPLSubscription = false
        var hasDataSubscription = false
        /// Bytes; 0 before the first MTU exchange since the reset.
        var payloadSize = 0
        var freePlaces = 0
    }

    enum Output {
        case terminal([UInt8])
        case data([UInt8])
        case request(operation: UInt8, number: UInt16, [UInt8])
        /// The request with this number was interrupted.
        case abandoned(number: UInt16)
    }

    enum Reason: Equatable {
        case budget
        /// `nil` waits for any event.
        case wait(Duration?)
        case answer, room
    }

    struct Turn {
        let used: Duration
        let reason: Reason
        var outputs: [Output]
    }

    /// Bytes of inputs in one message, with room for its header.
    private static let inputLimit = InterpreterProcess.packetLimit - 256

    /// - Parameter python: a Python 3 next to `monocle-python` (`Tools/setup runtime`), or a program that acts as one.
    static func start(python: String, folder: UnitFolder) throws -> InterpreterProcess {
        let scripts = try scripts()
        return try InterpreterProcess(
            program(python: python, scripts: scripts) + [
                scripts.appendingPathComponent("frozen").path, folder.files.path, folder.root.path
            ],
            environment: ["PYTHONDONTWRITEBYTECODE=1"])
    }

    /// The frozen modules and the launcher.
    static func scripts() throws(UnitFolderError) -> URL { try Resources.own.locate("Python") }

    /// The command that starts the interpreter: the one next to the Python, or the Python, which finds it.
    static func program(python: String, scripts: URL) -> [String] {
        let beside = URL(fileURLWithPath: python).deletingLastPathComponent().appendingPathComponent("monocle-python").path
        return FileManager.default.isExecutableFile(atPath: beside) ? [beside] : [python, scripts.appendingPathComponent("launch.py").path]
    }

    static func bytes(of radio: Radio) -> [UInt8] {
        [(radio.isConnected ? 1 : 0) | (radio.hasREPLSubscription ? 2 : 0) | (radio.hasDataSubscription ? 4 : 0)]
            + UInt16(clamping: radio.payloadSize).littleEndianBytes + [UInt8(clamping: radio.freePlaces)]
    }

    /// Answers come first: their callers can do nothing else.
    static func pack(_ inputs: inout [Input]) -> [UInt8] {
        var packed: [UInt8] = []
        var kept: [Input] = []
        for input in inputs.filter(\.isAnswer) + inputs.filter({ !$0.isAnswer }) {
            let item = item(for: input)
            if kept.isEmpty, packed.count + item.count <= inputLimit { packed += item } else { kept.append(input) }
        }
        inputs = kept
        return packed
    }

    private static func item(for input: Input) -> [UInt8] {
        let (kind, content): (UInt8, [UInt8]) = switch input {
        case .terminal(let value): (UInt8(ascii: "R"), value)
        case .data(let value): (UInt8(ascii: "D"), value)
        case .touch(let pad): (UInt8(ascii: "T"), [pad])
        // 0: answered.
        case .answer(let number, let value): (UInt8(ascii: "A"), number.littleEndianBytes + [0] + value)
        case .deafness: (UInt8(ascii: "X"), [])
        }
        return [kind] + UInt16(clamping: content.count).littleEndianBytes + content.prefix(Int(UInt16.max))
    }

    static func turn(_ packet: [UInt8]) throws -> Turn {
        guard packet.count >= 5 else { throw InterpreterProcess.Failure(operation: "understand the interpreter", code: EBADMSG) }
        var outputs: [Output] = []
        var wait: Duration?
        var rest = packet[5...]
        while rest.count >= 3 {
            let (kind, length) = (rest[rest.startIndex], Int(UInt16(littleEndian: rest.dropFirst())))
            let content = Array(rest.dropFirst(3).prefix(length))
            rest = rest.dropFirst(3 + length)
            switch kind {
            case UInt8(ascii: "N"): outputs.append(.terminal(content))
            case UInt8(ascii: "M"): outputs.append(.data(content))
            case UInt8(ascii: "Q") where content.count >= 3:
                outputs.append(.request(operation: content[0], number: UInt16(littleEndian: content[1...]), Array(content[3...])))
            case UInt8(ascii: "K") where content.count == 2: outputs.append(.abandoned(number: UInt16(littleEndian: content)))
            case UInt8(ascii: "W") where content.count == 4:
                let microseconds = UInt32(littleEndian: content)
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
        return Turn(used: .microseconds(Int64(UInt32(littleEndian: packet))), reason: reason, outputs: outputs)
    }
}
