/// How long a lease lasts, and how often it is renewed.
public struct LeaseTimes: Sendable, Hashable {
    /// From 1 s to 10 min, as the server allows.
    public var timeToLive: Duration
    /// At most a third of it, so that one renewal may fail. With less than this left no erase begins.
    public var renewal: Duration

    /// After a renewal without an answer: apart from other stations that lost the server at the same moment.
    var retry: Duration { renewal / 10 * Double.random(in: 0.5...1.5) }

    public init(timeToLive: Duration = .seconds(90), renewal: Duration = .seconds(30)) {
        (self.timeToLive, self.renewal) = (timeToLive, renewal)
    }
}
