import Support

/// Chooses the remedy by what stands in the way: the mildest that may help first, each once before the next, and from the
/// beginning again when the run has come further.
struct RetryPolicy {
    /// A link that breaks for ever, always a little further on, ends here.
    private static let limit = 60
    /// Of one remedy without progress.
    private static let useLimit = 2

    private let mayRestartUnit: Bool
    /// Since the last progress: how far each ladder is climbed, and how often each remedy was used.
    private var climbed: [Obstacle: Int] = [:]
    private var used: [Remedy: Int] = [:]
    private var progress = 0
    private var count = 0

    /// - Parameter mayRestartUnit: safe mode is a remedy.
    init(mayRestartUnit: Bool) { self.mayRestartUnit = mayRestartUnit }

    /// - Parameters:
    ///   - progress: grows with what the run has achieved.
    ///   - hasLink: to the unit's application; without one there is nothing to interrupt.
    /// - Returns: `nil` when asking again would not help.
    mutating func remedy(for error: any Error, progress: Int, hasLink: Bool) -> Remedy? {
        guard var obstacle = (error as? any DiagnosableError)?.obstacle, count < Self.limit else { return nil }
        // A unit that was never seen is not there; one that was may be on its way back.
        if obstacle == .absence, count == 0 { return nil }
        if !hasLink { obstacle = obstacle.withoutLink }
        count += 1
        if progress > self.progress {
            self.progress = progress
            (climbed, used) = ([:], [:])
        }
        for remedy in obstacle.remedies.dropFirst(climbed[obstacle, default: 0]) {
            climbed[obstacle, default: 0] += 1
            guard mayRestartUnit || remedy != .safeMode, used[remedy, default: 0] < Self.useLimit else { continue }
            used[remedy, default: 0] += 1
            return remedy
        }
        return nil
    }
}
