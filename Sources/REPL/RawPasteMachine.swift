/// The host's side of raw-paste mode: code of any length under the unit's own flow control, compiled as it arrives.
///
/// `^E A ^A` asks for it; the unit answers `R` 0x01 and a window (16 bits, little-endian), `R` 0x00 when it knows the request but
/// not the mode, or its banner when it knows neither. Each 0x01 that follows widens the window by its size again; 0x04 stops
/// the transfer (micropython, documentation of the raw-paste mode and `pyexec.c`).
public struct RawPasteMachine: Sendable {
    public enum Outcome: Sendable, Hashable {
        /// More of the unit's words are needed.
        case waiting
        /// Send ``nextPiece(atMost:)``.
        case mayContinue
        /// Use the plain raw REPL; the unit is at its prompt.
        case unsupported
        /// The unit has taken the code, or wants no more of it. The associated bytes belong to its answer, which lacks the `OK`.
        case finished(rest: [UInt8])
    }

    private enum State: Sendable {
        case asking(tail: [UInt8])
        case header(unit: [UInt8])
        case sending(window: Int, increment: Int)
        case ended(increment: Int)
        case done
    }

    public static let request: [UInt8] = [Control.paste, UInt8(ascii: "A"), Control.enterRaw]

    private var state = State.asking(tail: [])
    private let code: [UInt8]
    private var position = 0
    private var endWasGiven = false

    public init(code: PythonCode) { self.code = code.bytes }

    /// Takes what arrived, cut anywhere.
    /// - Throws: ``REPLError/garbage(_:)``.
    public mutating func receive(_ bytes: [UInt8]) throws -> Outcome {
        for (index, byte) in bytes.enumerated() {
            switch state {
            case .asking(let tail):
                if try answerToRequest(tail + [byte]) { return .unsupported }
            case .header(let partial):
                try takeHeader(partial + [byte])
            case .sending(_, let increment), .ended(let increment):
                if byte == Control.execute {
                    state = .done
                    return .finished(rest: Array(bytes[(index + 1)...]))
                }
                guard byte == 0x01 else { throw REPLError.garbage("flow control of raw-paste mode") }
                if case .sending(let window, _) = state {
                    state = .sending(window: window + increment, increment: increment)
                }
            case .done:
                throw REPLError.garbage("the end of raw-paste mode")
            }
        }
        if case .sending = state { return .mayContinue }
        return .waiting
    }

    /// The next bytes for the unit, within its window; the code's end is marked by 0x04. Empty when it has to be waited for.
    public mutating func nextPiece(atMost limit: Int) -> [UInt8] {
        guard case .sending(let window, let increment) = state, limit > 0 else { return [] }
        let length = min(limit, window, code.count - position)
        let piece = code[position..<(position + length)]
        position += length
        guard position == code.count, length < limit else {
            state = .sending(window: window - length, increment: increment)
            return Array(piece)
        }
        state = .ended(increment: increment)
        endWasGiven = true
        return piece + [Control.execute]
    }

    /// The unit stopped the transfer before its end and still waits for a 0x04.
    public var owesEnd: Bool {
        if case .done = state { !endWasGiven } else { false }
    }

    private mutating func answerToRequest(_ seen: [UInt8]) throws -> Bool {
        if seen.suffix(2) == [UInt8(ascii: "R"), 0x01] {
            state = .header(unit: [])
        } else if seen.suffix(2) == [UInt8(ascii: "R"), 0x00] || seen == Control.banner {
            state = .done
            return true
        } else {
            state = .asking(tail: seen.suffix(Control.banner.count - 1))
        }
        return false
    }

    private mutating func takeHeader(_ bytes: [UInt8]) throws {
        guard bytes.count == 2 else { return state = .header(unit: bytes) }
        let window = Int(bytes[0]) | Int(bytes[1]) << 8
        guard window > 0 else { throw REPLError.garbage("a window of raw-paste mode") }
        state = .sending(window: window, increment: window)
    }
}
