import Support

/// A radio or a unit that fails at once, again and again, gets time to come back.
private let rest = Duration.seconds(2)

extension UnitLease {
    /// Runs `body` as often as remedies promise that it helps, and ends the link.
    /// - Parameters:
    ///   - progress: grows with what `body` achieves.
    ///   - recovering: gets each remedy and its reason before it is used.
    ///   - keepsLink: the link stays when `body` succeeds.
    /// - Returns: the error that no remedy was left for.
    /// - Throws: `CancellationError` alone.
    func attempt(
        _ first: RetryPolicy, progress: () -> Int = { 0 }, recovering: (Remedy, Diagnosis) -> Void,
        keepsLink: Bool = false, _ body: () async throws -> Void
    ) async throws -> (any Error)? {
        var policy = first
        var began = clock.now
        var isFirst = true
        while true {
            do {
                try await body()
                if !keepsLink { await end() }
                return nil
            } catch {
                guard !(error is CancellationError), !Task.isCancelled,
                    let remedy = policy.remedy(for: error, progress: progress(), hasLink: hasLink)
                else {
                    await abandon()
                    try Task.checkCancellation()
                    if error is CancellationError { throw error }
                    return error
                }
                recovering(remedy, diagnose(error))
                do {
                    if !isFirst, began.duration(to: clock.now) < rest { try await clock.sleep(until: clock.deadline(in: rest)) }
                    (began, isFirst) = (clock.now, false)
                    try await apply(remedy)
                } catch {
                    await abandon()
                    throw error
                }
            }
        }
    }
}
