/// So many numbered messages, one each interval.
struct SoakPlan: Sendable, Hashable {
    static let countLimit = 100_000
    private static let leastInterval = 0.1

    var count: Int
    var interval: Duration
    /// A virtual unit is carried out of reach so often.
    var cutInterval: Duration?

    /// `COUNT every SECONDS`, and `cut every SECONDS` behind it.
    /// - Parameter duration: the seconds of such as `2s` or `500ms`.
    init?(_ text: String, duration: (String) -> Double?) {
        func interval(_ text: Substring) -> Duration? {
            duration(String(text)).flatMap { $0 >= Self.leastInterval ? .seconds($0) : nil }
        }
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 3 || words.count == 6, words[1] == "every", let count = Int(words[0]),
            (1...Self.countLimit).contains(count), let pause = interval(words[2])
        else { return nil }
        (self.count, self.interval) = (count, pause)
        guard words.count == 6 else { return }
        guard words[3...4].elementsEqual(["cut", "every"]), let cuts = interval(words[5]) else { return nil }
        cutInterval = cuts
    }

    func text(_ number: Int) -> String { "\(number) of \(count)" }
}
