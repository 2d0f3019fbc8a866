import Foundation

/// The wires to a virtual Frame's Lua, as `Lua/wire.lua` has them: requests come in, interrupts and replies go out.
///
/// Lua waits for each reply, so there is one request at a time and it comes whole.
struct LuaWire: Sendable {
    struct Request: Sendable, Hashable {
        var name: String
        var payload: [UInt8]

        var text: String { String(decoding: payload, as: UTF8.self) }
        /// The payload as whole numbers.
        var numbers: [Int] { text.split(separator: " ").map { Int($0) ?? 0 } }
    }

    enum Interrupt: Sendable, Hashable {
        /// A message for the running script, without its first byte 0x01.
        case data([UInt8])
        case tap
        case breakSignal
    }

    enum Reply: Sendable, Hashable {
        case value([UInt8])
        case none
        /// Raised as an error where the program called.
        case refusal(String)

        static func text(_ text: String) -> Reply { .value(Array(text.utf8)) }
        static let done = Reply.value([])
    }

    struct Garbled: Error { let line: String }

    private static let maximumHeader = 64
    private static let maximumPayload = 1 << 20
    private var received: [UInt8] = []

    /// Takes bytes from Lua's standard output.
    /// - Returns: the request, once it is whole.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(Garbled) -> Request? {
        received += bytes
        guard let newline = received.firstIndex(of: UInt8(ascii: "\n")) else {
            if received.count > Self.maximumHeader { throw garbled }
            return nil
        }
        let words = String(decoding: received[..<newline], as: UTF8.self).split(separator: " ")
        guard newline <= Self.maximumHeader, words.count == 2, let length = Int(words[1]),
            (0...Self.maximumPayload).contains(length)
        else { throw garbled }
        let body = received[(newline + 1)...]
        guard body.count >= length else { return nil }
        guard body.count == length else { throw garbled }
        defer { received = [] }
        return Request(name: String(words[0]), payload: Array(body))
    }

    private var garbled: Garbled { Garbled(line: String(decoding: received.prefix(Self.maximumHeader), as: UTF8.self)) }

    /// What goes to Lua's standard input: the interrupts since the last reply, in their order, and the reply.
    static func encode(_ reply: Reply, after interrupts: [Interrupt] = []) -> [UInt8] {
        interrupts.flatMap { interrupt in
            switch interrupt {
            case .data(let data): frame("E data", data)
            case .tap: frame("E tap", [])
            case .breakSignal: frame("E break", [])
            }
        } + encoded(reply)
    }

    private static func encoded(_ reply: Reply) -> [UInt8] {
        switch reply {
        case .value(let value): frame("R ok", value)
        case .none: frame("R nil", [])
        case .refusal(let message): frame("R error", Array(message.utf8))
        }
    }

    private static func frame(_ head: String, _ body: [UInt8]) -> [UInt8] { Array("\(head) \(body.count)\n".utf8) + body }
}
