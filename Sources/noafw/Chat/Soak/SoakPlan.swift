/// So many numbered messages, one each interval.
struct SoakPlan: Sendable, Hashable {
    static let countLimit = 100_000
    private static let leastInterval = 0.1

    var count: Int
    var interval: Duration

    /// `COUNT every SECONDS`.
    /// - Parameter duration: the seconds of such as `2s` or `500ms`.
    init?(_ text: String, duration: (String) -> Double?) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count >= 3, words[1] == "every", let count = Int(words[0]), (1...Self.countLimit).contains(count),
            let seconds = duration(words[2...].joined(separator: " ")), seconds >= Self.leastInterval
        else { return nil }
        (self.count, interval) = (count, .seconds(seconds))
    }

    func text(_ number: Int) -> String { "\(number) of \(count)" }
}
