import Bluetooth
import Support

/// A DFU client as others are: each request waits for its answer, each object for its CRC, and one with a wrong CRC goes again.
package struct PlainDFU: Sendable {
    package enum Failure: Error, Hashable {
        case refused([UInt8])
        case silent(UInt8)
        case objectLost(Int)
    }

    private static let (controlPoint, packet) = (
        AttributeID("8ec90001-f315-4f60-9fb8-838830daea50"), AttributeID("8ec90002-f315-4f60-9fb8-838830daea50")
    )
    private static let (page, attempts) = (4096, 10)
    private static let patience = Duration.seconds(3)
    private static let lastPatience = Duration.seconds(10)

    private let connection: any Connection
    private let clock: SessionClock
    private let receiptInterval: Int
    private let pause: Duration

    /// - Parameters:
    ///   - receiptInterval: packets from one receipt to the next; 0 for none.
    ///   - pause: after each CREATE, as the phones' libraries make one for bootloaders that lose packets.
    package init(connection: any Connection, clock: SessionClock, receiptInterval: Int, pause: Duration) {
        (self.connection, self.clock, self.receiptInterval, self.pause) = (connection, clock, receiptInterval, pause)
    }

    private struct Link {
        let answers: Inbox<[UInt8]>
        let channel: any WriteChannel
        var repeats = 0
    }

    /// - Returns: how many objects went again.
    package func send(initPacket: [UInt8], image: [UInt8]) async throws -> Int {
        let deadline = clock.deadline(in: .seconds(10))
        var link = Link(
            answers: try await connection.subscribe(to: Self.controlPoint, deadline: deadline),
            channel: try await connection.openChannel(to: Self.packet, deadline: deadline))
        _ = try await ask([2, UInt8(receiptInterval), 0], link)
        _ = try await ask([6, 1], link)
        try await send(1, initPacket, 0..<initPacket.count, &link)
        _ = try await ask([6, 2], link)
        for start in stride(from: 0, to: image.count, by: Self.page) {
            try await send(2, image, start..<min(image.count, start + Self.page), &link)
        }
        try await connection.waitUntilGone(deadline: clock.deadline(in: Self.lastPatience))
        await link.channel.close()
        return link.repeats
    }

    private func send(_ kind: UInt8, _ content: [UInt8], _ range: Range<Int>, _ link: inout Link) async throws {
        let sum = [UInt32(range.upperBound), CRC32.of(Array(content[..<range.upperBound]))].flatMap(Self.bytes)
        for _ in 0..<Self.attempts {
            _ = try await ask([1, kind] + Self.bytes(UInt32(range.count)), link)
            if pause > .zero { try await clock.sleep(until: clock.deadline(in: pause)) }
            try await stream(content, range, link)
            if try await ask([3], link).elementsEqual(sum) {
                _ = try await ask([4], link)
                return
            }
            link.repeats += 1
        }
        throw Failure.objectLost(range.lowerBound)
    }

    /// Ends early when a receipt shows a loss or does not come.
    private func stream(_ content: [UInt8], _ range: Range<Int>, _ link: Link) async throws {
        var sent = 0
        let size = connection.payloadSize
        for start in stride(from: range.lowerBound, to: range.upperBound, by: size) {
            let end = min(range.upperBound, start + size)
            try await link.channel.send(Array(content[start..<end]), deadline: clock.deadline(in: .seconds(10)))
            sent += 1
            guard receiptInterval > 0, sent % receiptInterval == 0 else { continue }
            let receipt = try await link.answers.next(before: clock.deadline(in: Self.patience), on: clock)
            let wanted = [0x60, 3, 1] + [UInt32(end), CRC32.of(Array(content[..<end]))].flatMap(Self.bytes)
            guard let receipt, receipt == wanted else { return }
        }
    }

    /// Asks again if no answer comes; an EXECUTE that is refused then was carried out.
    private func ask(_ request: [UInt8], _ link: Link) async throws -> ArraySlice<UInt8> {
        for attempt in 0..<Self.attempts {
            while link.answers.poll() != nil {}
            try await connection.write(request, to: Self.controlPoint, deadline: clock.deadline(in: Self.lastPatience))
            guard let answer = try await link.answers.next(before: clock.deadline(in: Self.patience), on: clock) else { continue }
            if answer.starts(with: [0x60, request[0], 1]) || (attempt > 0 && answer == [0x60, 4, 8]) { return answer.dropFirst(3) }
            throw Failure.refused(answer)
        }
        throw Failure.silent(request[0])
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
}
