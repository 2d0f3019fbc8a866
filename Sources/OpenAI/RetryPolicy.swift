import Foundation

struct RetryPolicy: Sendable {
    /// Of requests.
    var attempts = 4
    /// The wait before the second request doubles with each further one.
    private static let (firstDelay, longestDelay) = (Duration.milliseconds(500), Duration.seconds(20))
    /// A server that wants a longer wait is not asked again: a person waits for the answer.
    private static let longestServerDelay = Duration.seconds(60)
    /// From 0 to 1; keeps many clients from coming back at once.
    var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }

    /// After so many failed attempts; `nil` to give up.
    /// - Parameter wanted: what the server's `Retry-After` says.
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

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7; nobody sends the two obsolete forms now).
enum HTTPDate {
    static func seconds(_ text: String) -> Int64? {
        let format = DateFormatter()
        (format.locale, format.timeZone) = (Locale(identifier: "en_US_POSIX"), .gmt)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard text.utf8.count == 29 else { return nil }
        return format.date(from: text).flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded()) }
    }
}
