/// When a request that failed is made again.
public struct RetryPolicy: Sendable {
    /// Requests in all, at least 1.
    public var attempts = 4
    /// The wait before the second request; doubled for every further one.
    public var firstDelay = Duration.milliseconds(500)
    /// No own wait is longer.
    public var longestDelay = Duration.seconds(20)
    /// A server that wants a longer wait than this is not asked again: a person waits for the answer.
    public var longestServerDelay = Duration.seconds(60)
    /// A number from 0 to 1; keeps many clients from coming back all at once.
    public var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }

    public init() {}

    /// The wait after so many failed attempts; `nil` when it is time to give up.
    /// - Parameter wanted: what the server's `Retry-After` says.
    func delay(afterAttempts count: Int, wanted: Duration?) -> Duration? {
        guard count >= 1, count < attempts else { return nil }
        var delay = firstDelay
        for _ in 1..<max(2, min(count, 30)) where count > 1 && delay < longestDelay { delay = delay * 2 }
        delay = min(delay, longestDelay)
        // From half of it to all of it.
        delay = delay * (0.5 + min(max(jitter(), 0), 1) / 2)
        guard let wanted else { return delay }
        return wanted <= longestServerDelay ? max(wanted, delay) : nil
    }
}

/// The value of a `Retry-After` header (RFC 9110, 10.2.3).
enum RetryAfter {
    /// - Parameters:
    ///   - value: seconds, or an HTTP date.
    ///   - date: the answer's `Date` header: measured against the server's own clock, a wrong clock here does no harm.
    static func parse(_ value: String, date: String?) -> Duration? {
        let trimmed = value.filter { $0 != " " }
        if !trimmed.isEmpty, trimmed.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            // More digits than fit mean a very long time, too.
            return .seconds(Int64(trimmed.prefix(9)) ?? 0)
        }
        guard let then = HTTPDate.seconds(value), let now = date.flatMap(HTTPDate.seconds) else { return nil }
        return .seconds(max(0, then - now))
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7; the two obsolete forms are not sent by anybody now).
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Seconds since 1970.
    static func seconds(_ text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[0].count == 4, parts[0].last == ",", parts[5] == "GMT",
            let day = number(parts[1], 1...31), let month = months.firstIndex(of: String(parts[2])),
            let year = number(parts[3], 1970...9999)
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], 0...23), let minute = number(time[1], 0...59),
            let second = number(time[2], 0...60)
        else { return nil }
        return days(year: year, month: Int64(month + 1), day: day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int64>) -> Int64? {
        guard text.utf8.count <= 4, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let value = Int64(text) else { return nil }
        return range.contains(value) ? value : nil
    }

    /// Days from 1970-01-01 in the Gregorian calendar, years counted from March so that the leap day comes last.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = (year / 400, year % 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
