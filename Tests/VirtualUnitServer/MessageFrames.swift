import Foundation

/// Messages on a stream of bytes: a big-endian length of four bytes, then so many bytes of JSON.
struct MessageFrames: Sendable {
    /// A value of 512 bytes as hexadecimal text with the names around it is far below this.
    static let limit = 1 << 16
    private var buffer: [UInt8] = []

    enum Failure: Error, Equatable { case tooLong(Int), unreadable }

    init() {}

    /// Adds what arrived, and gives the bodies that are complete.
    /// - Throws: ``Failure/tooLong(_:)``; the stream is of no use then.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(Failure) -> [[UInt8]] {
        buffer += bytes
        var bodies: [[UInt8]] = []
        while buffer.count >= 4 {
            let length = buffer.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard length <= Self.limit else { throw .tooLong(length) }
            guard buffer.count >= 4 + length else { break }
            bodies.append(Array(buffer[4..<4 + length]))
            buffer.removeFirst(4 + length)
        }
        return bodies
    }

    static func decode<Message: Decodable>(_ type: Message.Type, _ body: [UInt8]) throws(Failure) -> Message {
        do { return try JSONDecoder().decode(type, from: Data(body)) } catch { throw .unreadable }
    }

    static func encode(_ message: some Encodable) throws -> [UInt8] {
        let body = try JSONEncoder().encode(message)
        let length = UInt32(body.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - $0 * 8)) } + body
    }
}
