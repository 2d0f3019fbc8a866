import Foundation
import Synchronization

/// A run's identity: a UUIDv7 (RFC 9562, section 5.7), made without a server and ordered by its millisecond.
public struct RunID: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let uuid: UUID

    /// Before a run is opened.
    static let none = RunID(milliseconds: 0, first: 0, second: 0)

    /// - Parameters:
    ///   - milliseconds: since 1970, 48 bits.
    ///   - first: 12 random bits.
    ///   - second: 62 random bits.
    init(milliseconds: UInt64, first: UInt64, second: UInt64) {
        let halves = ((milliseconds << 16 | 0x7000 | first & 0xFFF).bigEndian, (1 << 63 | second & (.max >> 2)).bigEndian)
        uuid = withUnsafeBytes(of: halves) { UUID(uuid: $0.load(as: uuid_t.self)) }
    }

    public init?(_ text: some StringProtocol) {
        guard let uuid = UUID(uuidString: String(text)), uuid.uuid.6 >> 4 == 7, uuid.uuid.8 >> 6 == 2 else { return nil }
        self.uuid = uuid
        // UUID also reads signs.
        guard description == text.lowercased() else { return nil }
    }

    /// The last eight digits, which are random: enough to distinguish a list's runs.
    public var shortText: String { String(description.suffix(8)) }

    public var description: String { uuid.uuidString.lowercased() }

    public static func < (left: RunID, right: RunID) -> Bool { left.uuid < right.uuid }
}

extension RunID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = RunID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is not a UUID of version 7")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// Makes identities that grow whatever the clock does: within a millisecond, or after the clock was set back, each adds a random step to
/// the last (RFC 9562, section 6.2, method 2).
public final class RunIDGenerator: Sendable {
    private struct Last {
        var milliseconds: UInt64 = 0
        var first: UInt64 = 0
        var second: UInt64 = 0
    }

    private let now: @Sendable () -> UTCTime
    private let random: @Sendable () -> UInt64
    private let last = Mutex(Last())

    public init(
        now: @escaping @Sendable () -> UTCTime = { .now },
        random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }
    ) {
        (self.now, self.random) = (now, random)
    }

    public func next() -> RunID {
        let milliseconds = UInt64(max(0, now().microseconds / 1000))
        return last.withLock { last in
            if milliseconds > last.milliseconds {
                begin(milliseconds, &last)
            } else {
                count(&last)
            }
            return RunID(milliseconds: last.milliseconds, first: last.first, second: last.second)
        }
    }

    private func begin(_ milliseconds: UInt64, _ last: inout Last) {
        last = Last(milliseconds: milliseconds, first: random() & 0xFFF, second: random() & (.max >> 2))
    }

    private func count(_ last: inout Last) {
        last.second += 1 + random() & 0xFFFF_FFFF
        guard last.second > .max >> 2 else { return }
        last.second &= .max >> 2
        last.first += 1
        if last.first > 0xFFF { begin(last.milliseconds + 1, &last) }
    }
}
