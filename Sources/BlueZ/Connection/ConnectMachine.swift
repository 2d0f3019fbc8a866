import Bluetooth

/// The way to a usable link: what to do next after each event, until the deadline. Events in, actions out.
struct ConnectMachine: Sendable {
    enum Action: Sendable, Hashable {
        case awaitAdapter
        /// Discover until the device is seen.
        case find
        case pause(until: SessionClock.Instant)
        /// Call `Connect`; give the attempt up at that time.
        case connect(until: SessionClock.Instant)
        case awaitServices
        case pair
        /// Remove the device with its keys and its attribute table.
        case forget
        case succeed
        case fail(Failure)
    }

    enum Event: Sendable, Hashable {
        case adapterReady(isKnown: Bool)
        case found
        case paused
        case connected
        case resolved
        case paired
        case forgotten
        /// The link went away while its services were awaited.
        case linkLost
        /// The step reached its deadline.
        case timedOut
        case failed(BlueZError)
    }

    enum Failure: Error, Sendable, Hashable {
        case link(LinkError)
        case bluez(BlueZError)
    }

    /// Attempts get at least this long where the deadline allows.
    static let leastAttempt = Duration.seconds(10)
    /// An attempt that failed faster than this is followed by a pause, unless it was the first.
    static let quickFailure = Duration.milliseconds(500)
    static let longestPause = Duration.seconds(2)

    private let address: DeviceAddress
    private let deadline: SessionClock.Instant
    private let wantsPairing: Bool
    private var mayForget = true
    private var attempts = 0
    private var attemptBegan = SessionClock.Instant(offset: .zero)
    private var pause = Duration.milliseconds(100)
    private var lastReason = "no such device advertises"

    init(address: DeviceAddress, deadline: SessionClock.Instant, wantsPairing: Bool = false, startsByForgetting: Bool = false) {
        self.address = address
        self.deadline = deadline
        self.wantsPairing = wantsPairing
        mayForget = !startsByForgetting
    }

    /// `Connect` calls so far.
    var attemptCount: Int { attempts }

    mutating func handle(_ event: Event, at now: SessionClock.Instant) -> Action {
        switch event {
        case .adapterReady(let isKnown): return isKnown ? attempt(now) : .find
        case .found, .paused: return attempt(now)
        case .forgotten: return .find
        case .connected: return .awaitServices
        case .resolved: return wantsPairing ? .pair : .succeed
        case .paired: return .succeed
        case .linkLost: return retry("the link was lost before the services were known", now)
        case .timedOut:
            if now < deadline { return retry("the unit did not answer in time", now) }
            return .fail(.link(.connectFailed(address, reason: lastReason)))
        case .failed(let error): return recover(from: error, now)
        }
    }

    private mutating func attempt(_ now: SessionClock.Instant) -> Action {
        guard now < deadline else { return .fail(.link(.connectFailed(address, reason: lastReason))) }
        attempts += 1
        attemptBegan = now
        lastReason = "the unit did not answer in time"
        // A rest too short for an attempt of its own belongs to this one.
        let remaining = now.duration(to: deadline)
        return .connect(until: remaining >= Self.leastAttempt * 2 ? now.advanced(by: Self.leastAttempt) : deadline)
    }

    private mutating func recover(from error: BlueZError, _ now: SessionClock.Instant) -> Action {
        lastReason = error.diagnosis.message
        switch error.recovery {
        case .again: return retry(lastReason, now)
        case .rediscover: return now < deadline ? .find : .fail(.bluez(error))
        case .awaitAdapter: return now < deadline ? .awaitAdapter : .fail(.bluez(error))
        case .forget where mayForget:
            mayForget = false
            return .forget
        case .forget, .giveUp: return .fail(.bluez(error))
        }
    }

    private mutating func retry(_ reason: String, _ now: SessionClock.Instant) -> Action {
        lastReason = reason
        guard now < deadline else { return .fail(.link(.connectFailed(address, reason: reason))) }
        // In crowded air an immediate second attempt usually works; an error that comes at once, again and again, must not spin.
        if attempts <= 1 || attemptBegan.duration(to: now) >= Self.quickFailure { return attempt(now) }
        defer { pause = min(pause * 2, Self.longestPause) }
        return .pause(until: min(deadline, now.advanced(by: pause)))
    }
}
