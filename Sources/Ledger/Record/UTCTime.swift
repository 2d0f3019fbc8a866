import Foundation
import Glibc

/// A time in microseconds since 1970, UTC. The clock may be set back: durations come from a monotonic clock.
public struct UTCTime: Sendable, Hashable, Comparable {
    public let microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    public init(_ date: Date) { self.init(microseconds: Int64(date.timeIntervalSince1970 * 1_000_000)) }

    public static var now: UTCTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UTCTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Reads a day such as `2026-11-22` (its midnight) or a moment such as `2026-11-22T14:23`, also with seconds, their parts and a `Z`.
    public init?(iso8601 text: String) {
        let form = /([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,6}))?)?Z?)?/
        guard let match = text.wholeMatch(of: form) else { return nil }
        func number(_ digits: Substring?) -> Int32 { digits.flatMap { Int32($0) } ?? 0 }
        var given = tm()
        (given.tm_year, given.tm_mon, given.tm_mday) = (number(match.1) - 1900, number(match.2) - 1, number(match.3))
        (given.tm_hour, given.tm_min, given.tm_sec) = (number(match.4), number(match.5), number(match.6))
        // An invalid date comes back as another day or hour.
        var real = given
        let seconds = timegm(&real)
        guard given.tm_year > -1900, (given.tm_mon, given.tm_mday) == (real.tm_mon, real.tm_mday),
            (given.tm_hour, given.tm_min, given.tm_sec) == (real.tm_hour, real.tm_min, real.tm_sec)
        else { return nil }
        let part = (match.7 ?? "").padding(toLength: 6, withPad: "0", startingAt: 0)
        microseconds = Int64(seconds) * 1_000_000 + (Int64(part) ?? 0)
    }

    public static func < (left: UTCTime, right: UTCTime) -> Bool { left.microseconds < right.microseconds }

    /// ISO 8601, such as `2026-11-22T14:23:47.123456Z`; outside the years 1 to 9999 the nearest time inside.
    public var iso8601: String {
        let part = (bounded % 1_000_000 + 1_000_000) % 1_000_000
        var (seconds, date) = (time_t((bounded - part) / 1_000_000), tm())
        gmtime_r(&seconds, &date)
        return String(
            format: "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min,
            date.tm_sec, part)
    }

    public var day: String { String(iso8601.prefix(10)) }

    /// For file names, such as `20261122T142347.123456Z`.
    public var compact: String { iso8601.replacing("-", with: "").replacing(":", with: "") }

    private var bounded: Int64 { min(max(microseconds, -62_135_596_800_000_000), 253_402_300_799_999_999) }
}

extension UTCTime: Codable {
    /// Also reads microseconds, the form of earlier records.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let microseconds = try? container.decode(Int64.self) {
            self.init(microseconds: UTCTime(microseconds: microseconds).bounded)
        } else if let time = UTCTime(iso8601: try container.decode(String.self)) {
            self = time
        } else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is not a time")
        }
    }

    public func encode(to encoder: any Encoder) throws { try iso8601.encode(to: encoder) }
}
