import Foundation

struct RetryPolicy: Sendable {
    var attempts = 4
    /// The wait doubles after each attempt.
    private static let (firstDelay, longestDelay) = (Duration.milliseconds(500), Duration.seconds(20))
    /// A server that asks for more is not retried: a person is waiting.
    private static let longestServerDelay = Duration.seconds(60)
    /// From 0 to 1; spreads the retries of many clients.
    var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }

    /// The wait after this many failed attempts; `nil` to give up.
    /// - Parameter wanted: the server's `Retry-After`.
    func delay(afterAttempts count: Int, wanted: Duration?) -> Duration? {
        guard count >= 1, count < attempts else { return nil }
        let longest = min(Self.firstDelay * (1 << min(count - 1, 16)), Self.longestDelay)
        let delay = longest * (0.5 + min(max(jitter(), 0), 1) / 2)
        guard let wanted else { return delay }
        return wanted <= Self.longestServerDelay ? max(wanted, delay) : nil
    }
}

/// The value of a `Retry-After` header (RFC 9110, 10.2.3).
enum RetryAfter {
    /// - Parameters:
    ///   - value: seconds, or an HTTP date.
    ///   - date: the answer's `Date` header: the server's own clock.
    static func parse(_ value: String, date: String?) -> Duration? {
        let trimmed = value.filter { $0 != " " }
        if !trimmed.isEmpty, trimmed.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            return .seconds(Int64(trimmed.prefix(9)) ?? 0)
        }
        guard let then = HTTPDate.seconds(value), let now = date.flatMap(HTTPDate.seconds) else { return nil }
        return .seconds(max(0, then - now))
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7; the two obsolete forms are no longer sent).
enum HTTPDate {
    static func seconds(_ text: String) -> Int64? {
        let format = DateFormatter()
        (format.locale, format.timeZone) = (Locale(identifier: "en_US_POSIX"), .gmt)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard text.utf8.count == 29 else { return nil }
        return format.date(from: text).flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded()) }
    }
}
