import Bluetooth
import Support
import Synchronization

/// The REPL of a Monocle as a plain client sees it: it writes text and waits for text.
package final class TextPrompt: Sendable {
    package struct Silence: Error, CustomStringConvertible {
        package let seen: [UInt8]
        package var description: String { "the unit fell silent after \"\(PrintableText.of(seen))\"" }
    }

    package let connection: any Connection
    package let clock: SessionClock
    private let channel: any WriteChannel
    private let output: Inbox<[UInt8]>
    private let unread = Mutex<[UInt8]>([])

    package init(_ connection: any Connection, clock: SessionClock) async throws {
        (self.connection, self.clock) = (connection, clock)
        let deadline = clock.deadline(in: .seconds(5))
        output = try await connection.subscribe(to: AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e"), deadline: deadline)
        channel = try await connection.openChannel(to: AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e"), deadline: deadline)
        // The first bytes after a link may be missed.
        try await clock.sleep(until: clock.deadline(in: .milliseconds(100)))
    }

    package func close() async { await channel.close() }

    package func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) async throws {
        for start in stride(from: 0, to: bytes.count, by: connection.payloadSize) {
            let packet = Array(bytes[start..<min(bytes.count, start + connection.payloadSize)])
            try await channel.send(packet, deadline: clock.deadline(in: .seconds(10)))
        }
    }

    package func read(_ count: Int, patience: Duration) async throws -> [UInt8] {
        try await read(patience: patience) { $0.count >= count ? count : nil }
    }

    package func read(until ending: String, patience: Duration) async throws -> String {
        let wanted = Array(ending.utf8)
        return String(
            decoding: try await read(patience: patience) { $0.firstRange(of: wanted)?.upperBound }, as: UTF8.self)
    }

    /// What arrived since the last reading.
    package func poll() -> [UInt8] {
        unread.withLock { unread in
            while let bytes = output.poll() { unread += bytes }
            defer { unread = [] }
            return unread
        }
    }

    /// - Parameters:
    ///   - patience: from one notification to the next.
    ///   - end: how much of what is there is wanted; `nil` to wait for more.
    /// - Throws: ``Silence``.
    package func read(patience: Duration, _ end: ([UInt8]) -> Int?) async throws -> [UInt8] {
        var seen = poll()
        while true {
            if let count = end(seen) {
                let rest = Array(seen.dropFirst(count))
                unread.withLock { $0 = rest + $0 }
                return Array(seen.prefix(count))
            }
            guard let more = try await output.next(before: clock.deadline(in: patience), on: clock) else { throw Silence(seen: seen) }
            seen += more
        }
    }
}
