import Support

extension ChatEnvironment {
    private static let displayRest = Duration.milliseconds(1500)
    private static let displayTimeout = Duration.seconds(60)
    private static let look = Duration.milliseconds(100)
    private static let glance = Duration.seconds(2)
    /// The pace of the scripts.
    private static let word = Duration.milliseconds(150)

    /// What a virtual unit shows once it has shown all of it: the scripts bring an answer word by word. A real one is left
    /// the time for that and for a glance: with the link its answer goes from the display.
    /// - Parameter answer: what was sent last.
    func settledDisplay(after answer: String) async throws -> [String]? {
        guard let sensors else {
            let words = answer.split(whereSeparator: \.isWhitespace).count
            try await clock.sleep(until: clock.deadline(in: min(Self.glance + Self.word * words, Self.displayTimeout)))
            return nil
        }
        var lines = sensors.display()
        let end = clock.deadline(in: Self.displayTimeout)
        var rest = clock.deadline(in: Self.displayRest)
        while clock.now < rest, clock.now < end {
            try await clock.sleep(until: clock.deadline(in: Self.look))
            let now = sensors.display()
            if now != lines { (lines, rest) = (now, clock.deadline(in: Self.displayRest)) }
        }
        return lines
    }
}
