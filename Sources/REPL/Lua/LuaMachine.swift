import Bluetooth
import Support

/// The host's side of a unit's Lua prompt once the helper is installed: one command in flight, one answer.
///
/// An answer contains the session's key, the numbers of its command and piece, the total length and a CRC-32 over all of that,
/// so nothing that a program prints can be mistaken for it.
package struct LuaMachine: Sendable {
    package enum Action: Sendable, Hashable {
        case write([UInt8])
        case answered(Result<[UInt8], REPLError>)
        case notification(LuaNotification)
    }

    private struct Command {
        var number: Int
        /// Packets not yet accepted, each a function and its arguments as Lua text; the first is in flight.
        var calls: [(function: String, arguments: [UInt8])]
        var answer: [UInt8] = []
        /// Piece of the answer, from 1.
        var piece = 1
    }

    package static let answerLimit = 65_536

    private let key: String
    private let payloadSize: Int
    private var command: Command?
    private var lastNumber = 0

    package init(key: String, payloadSize: Int) {
        (self.key, self.payloadSize) = (key, payloadSize)
    }

    /// Begins a command. None may be in flight.
    package mutating func run(_ code: LuaCode) -> [Action] {
        var calls: [(function: String, arguments: [UInt8])] = []
        var rest = code.bytes[...]
        repeat {
            let piece = LuaLiteral.prefix(of: rest, room: payloadSize - LuaHelper.callOverhead - 3)
            rest = rest.dropFirst(piece.count)
            calls.append((rest.isEmpty ? "x" : "s", LuaLiteral.string(piece)))
        } while !rest.isEmpty
        return begin(calls)
    }

    mutating func call(_ function: String, _ arguments: [UInt8]) throws -> [Action] {
        let count = LuaHelper.callOverhead + function.utf8.count + arguments.count
        guard count <= payloadSize else { throw LinkError.valueTooLong(count: count, limit: payloadSize) }
        return begin([(function, arguments)])
    }

    private mutating func begin(_ calls: [(function: String, arguments: [UInt8])]) -> [Action] {
        lastNumber += 1
        command = Command(number: lastNumber, calls: calls)
        return silence()
    }

    /// Returns the packet in flight for resending after a silence. Receiving it twice does no harm.
    package func silence() -> [Action] {
        guard let command, let call = command.calls.first else { return [] }
        if command.piece > 1 { return [.write(Array("\(LuaHelper.name).p(\(command.piece))".utf8))] }
        let head = "\(LuaHelper.name).r(\(command.number),\(LuaHelper.name).\(call.function)"
        let tail = call.arguments.isEmpty ? [] : [UInt8(ascii: ",")] + call.arguments
        return [.write(Array(head.utf8) + tail + [UInt8(ascii: ")")])]
    }

    package mutating func receive(_ bytes: [UInt8]) -> [Action] {
        let notification = LuaNotification(bytes)
        let isOurs = bytes.starts(with: Array("\(key) ".utf8))
        guard case .text = notification, let command else { return isOurs ? [] : [.notification(notification)] }
        if isOurs {
            guard let answer = LuaAnswer(bytes, key: key), answer.number == command.number, answer.piece == command.piece else { return [] }
            return take(answer, command)
        }
        if bytes.contains(bytes: LuaHelper.absence) { return end(.failure(.helperGone)) }
        return [.notification(notification)]
    }

    private mutating func take(_ answer: LuaAnswer, _ current: Command) -> [Action] {
        var next = current
        if next.calls.count > 1 {
            guard answer.body == Array("+".utf8) else { return end(Self.result(of: answer.body, answer.byteCount, isLast: false)) }
            next.calls.removeFirst()
            lastNumber += 1
            next.number = lastNumber
            command = next
            return silence()
        }
        guard answer.byteCount <= Self.answerLimit else { return end(.failure(.outputOverflow(limit: Self.answerLimit))) }
        next.answer += answer.body
        guard next.answer.count < answer.byteCount, !answer.body.isEmpty else { return end(Self.result(of: next.answer, answer.byteCount)) }
        next.piece += 1
        command = next
        return silence()
    }

    private static func result(of answer: [UInt8], _ byteCount: Int, isLast: Bool = true) -> Result<[UInt8], REPLError> {
        guard answer.count == byteCount || !isLast else { return .failure(.cutShort) }
        return switch answer.first {
        case UInt8(ascii: "+") where isLast: .success(Array(answer.dropFirst()))
        case UInt8(ascii: "-"): .failure(LuaHelper.error(in: LuaException(answer.dropFirst())))
        case _: .failure(.cutShort)
        }
    }

    private mutating func end(_ result: Result<[UInt8], REPLError>) -> [Action] {
        command = nil
        return [.answered(result)]
    }
}

/// One piece of an answer: `KEY NUMBER PIECE LENGTH BODY CRC`.
private struct LuaAnswer {
    let number: Int
    let piece: Int
    let byteCount: Int
    let body: [UInt8]

    private static let checkLength = 9

    init?(_ bytes: [UInt8], key: String) {
        guard bytes.count > Self.checkLength else { return nil }
        let content = bytes.dropLast(Self.checkLength)
        var crc = CRC32()
        crc.update(content)
        let check = String(crc.value, radix: 16)
        let expected = " " + String(repeating: "0", count: 8 - check.count) + check
        guard bytes.suffix(Self.checkLength).elementsEqual(expected.utf8) else { return nil }
        let parts = content.split(separator: 0x20, maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].elementsEqual(key.utf8), let number = Self.number(parts[1]), let piece = Self.number(parts[2]),
            let byteCount = Self.number(parts[3])
        else { return nil }
        (self.number, self.piece, self.byteCount, body) = (number, piece, byteCount, Array(parts[4]))
    }

    private static func number(_ text: ArraySlice<UInt8>) -> Int? {
        guard (1...9).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(String(decoding: text, as: UTF8.self))
    }
}
