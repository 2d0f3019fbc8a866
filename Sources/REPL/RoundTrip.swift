/// How long a command and its answer take.
struct RoundTrip: Sendable {
    /// What BlueZ's first connection interval makes of it.
    private static let usual = Duration.milliseconds(90)

    private var seen: Duration?

    /// The shortest that was seen.
    var duration: Duration { seen ?? Self.usual }

    mutating func note(_ duration: Duration) { seen = min(seen ?? duration, duration) }
}
