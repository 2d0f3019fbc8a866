import Support

/// Follows a unit's update by its reports: answers in, the next step out.
struct UpdateMachine: Sendable {
    enum Step: Sendable, Equatable {
        case ask
        /// Percent.
        case progress(Int)
        /// The unit has the image and will restart.
        case written
        case failed(OTAError)
    }

    /// The unit's task begins shortly after its answer; until then the unit still shows an earlier update's end.
    private static let beginTimeout = Duration.seconds(5)
    /// For a silent unit. Its Wi-Fi may have to rejoin.
    private static let silenceTimeout = Duration.seconds(30)
    /// The firmware gives up a silent download after 10 s.
    private static let stallTimeout = Duration.seconds(60)

    private let url: String
    private let began: SessionClock.Instant
    private var heard: SessionClock.Instant
    private var moved: SessionClock.Instant
    private var percent = 0
    private var hasBegun = false

    /// - Parameter url: the image's.
    init(url: String, at now: SessionClock.Instant) { (self.url, began, heard, moved) = (url, now, now, now) }

    /// - Parameter isFetched: whether the unit has requested the image.
    mutating func receive(_ status: KeyboardStatus, isFetched: Bool, at now: SessionClock.Instant) -> Step {
        heard = now
        switch status.update {
        case .success where isFetched: return .written
        case .downloading, .verifying:
            hasBegun = true
            return advance(to: status.update == .verifying ? 100 : status.progress, at: now)
        case .failed where hasBegun || isLate(now):
            percent = max(percent, status.progress)
            return .failed(failure(isFetched: isFetched))
        case .idle where hasBegun: return .failed(.cut(percent: percent))
        case .idle where isLate(now): return .failed(.notTaken(reason: "it stays idle"))
        case .success where isLate(now): return .failed(.notTaken(reason: "it still shows an earlier one"))
        case .success, .failed, .idle: return .ask
        }
    }

    mutating func silence(_ error: OTAError, at now: SessionClock.Instant) -> Step {
        heard.duration(to: now) < Self.silenceTimeout ? .ask : .failed(error)
    }

    private mutating func advance(to progress: Int, at now: SessionClock.Instant) -> Step {
        if progress > percent { (percent, moved) = (progress, now) }
        return moved.duration(to: now) < Self.stallTimeout ? .progress(percent) : .failed(.stalled(percent: percent))
    }

    private func isLate(_ now: SessionClock.Instant) -> Bool { began.duration(to: now) >= Self.beginTimeout }

    private func failure(isFetched: Bool) -> OTAError {
        guard isFetched else { return .notFetched(url: url) }
        return percent < 100 ? .cut(percent: percent) : .refusedByUnit
    }
}
