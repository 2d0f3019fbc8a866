import Glibc

/// A time of day, in microseconds since 1970 by UTC. It can be set back: durations come from a monotonic clock.
public struct UTCTime: Sendable, Hashable, Comparable {
    public let microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    public static var now: UTCTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UTCTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Midnight of a day such as `2026-11-22`, or a moment of it such as `2026-11-22T14:23`, with seconds or without, with a `Z` or without.
    /// - Returns: `nil` for anything else.
    public init?(iso8601 text: String) {
        guard let match = text.wholeMatch(of: /([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?Z?)?/) else { return nil }
        func number(_ digits: Substring?) -> Int64 { digits.flatMap { Int64($0) } ?? 0 }
        let (year, month, day) = (number(match.1), number(match.2), number(match.3))
        let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
        guard year >= 1, (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60 else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        guard Self.date(daysSince1970: days) == (year, month, day) else { return nil }
        microseconds = days * Self.dayLength + (hour * 3600 + minute * 60 + second) * 1_000_000
    }

    public static func < (left: UTCTime, right: UTCTime) -> Bool { left.microseconds < right.microseconds }

    /// ISO 8601, such as `2026-11-22T14:23:47.123456Z`; a time outside of the years 1 to 9999 is told as the nearest one inside.
    public var iso8601: String { "\(day)T\(clock).\(Self.padded(microsecondOfDay % 1_000_000, 6))Z" }

    /// Such as `2026-11-22`.
    public var day: String {
        let (year, month, day) = Self.date(daysSince1970: bounded / Self.dayLength - (bounded % Self.dayLength < 0 ? 1 : 0))
        return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
    }

    /// For names of files, such as `20261122T142347.123456Z`.
    public var compact: String { iso8601.replacing("-", with: "").replacing(":", with: "") }

    private var clock: String {
        let seconds = microsecondOfDay / 1_000_000
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Self.padded($0, 2) }.joined(separator: ":")
    }

    private static let dayLength: Int64 = 86_400_000_000
    private var bounded: Int64 { min(max(microseconds, -62_135_596_800_000_000), 253_402_300_799_999_999) }
    private var microsecondOfDay: Int64 { (bounded % Self.dayLength + Self.dayLength) % Self.dayLength }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// As ``date(daysSince1970:)``, the other way (`days_from_civil`).
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Of the proleptic Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`).
    private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension UTCTime: Codable {
    public init(from decoder: any Decoder) throws {
        microseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }
}
