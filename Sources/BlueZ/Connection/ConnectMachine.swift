import Bluetooth
import Support

/// The way to a usable link: what to do next after each event, until the deadline. Events in, actions out.
struct ConnectMachine: Sendable {
    enum Action: Sendable, Hashable {
        case awaitAdapter
        /// Discover until the device is seen.
        case find
        case pause(until: SessionClock.Instant)
        /// Call `Connect`, or `Pair` where a bond is wanted and there is none; give the attempt up at that time.
        case connect(until: SessionClock.Instant)
        case awaitServices
        /// Remove the device with its keys and its attribute table.
        case forget
        /// End the attempt of a client that is gone: by `Disconnect`, and where told also by removing a device without a bond.
        case endForeignAttempt(byForgetting: Bool)
        case succeed
        case fail(Failure)
    }

    enum Event: Sendable, Hashable {
        case adapterReady(isKnown: Bool)
        case found
        case paused
        case connected
        case resolved
        case forgotten
        /// The link went away while its services were awaited.
        case linkLost
        /// The link to a bonded device went away as soon as it was there, while bluetoothd was encrypting it.
        case encryptionFailed
        /// The step reached its deadline.
        case timedOut
        case failed(BlueZError)
        /// No link came about, and the adapter holds other ones: it may be full.
        case noPlace(BlueZError)
        /// bluetoothd is still at an attempt that another client began.
        case attemptPending
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

    /// The step that follows a failed one.
    private enum RetryStep: Sendable { case attempt, find, awaitAdapter }

    private let address: DeviceAddress
    private let deadline: SessionClock.Instant
    private var bond: BondRecovery
    private var hasFailed = false
    /// When the step began that is under way.
    private var stepBegan = SessionClock.Instant(offset: .zero)
    private var pause = Duration.milliseconds(100)
    private var stepAfterPause = RetryStep.attempt
    private var lastReason = "no such device advertises"
    private var lastError: BlueZError?
    /// Attempts for which the adapter had no place.
    private var crowdedOut = 0
    private var foreignAttempts = 0

    init(address: DeviceAddress, deadline: SessionClock.Instant) {
        self.address = address
        self.deadline = deadline
        bond = BondRecovery(address: address)
    }

    mutating func handle(_ event: Event, at now: SessionClock.Instant) -> Action {
        switch event {
        case .adapterReady(let isKnown): return go(isKnown ? .attempt : .find, now)
        case .found: return go(.attempt, now)
        case .paused: return go(stepAfterPause, now)
        case .forgotten: return go(.find, now)
        case .connected: return .awaitServices
        case .resolved: return .succeed
        case .linkLost: return retry(.attempt, because: "the link was lost before the services were known", now)
        case .encryptionFailed: return follow(bond.encryptionFailed(Self.earlyEnd), because: Self.earlyEnd, now)
        case .timedOut:
            // At the deadline the reason is what was under way.
            return now < deadline ? retry(.attempt, because: Self.noAnswer, now) : failure
        case .failed(let error): return recover(from: error, now)
        case .noPlace(let error): return queue(because: error, now)
        case .attemptPending: return endForeignAttempt(now)
        }
    }

    /// bluetoothd's plain word for a full adapter is believed at once; what may have another reason has to happen twice.
    private mutating func queue(because error: BlueZError, _ now: SessionClock.Instant) -> Action {
        crowdedOut += 1
        if error == .linkLimit || crowdedOut > 1 { return .fail(.link(.adapterFull(error.diagnosis.message))) }
        return recover(from: error, now)
    }

    /// bluetoothd does not notice that a client died inside `Connect` (5.87, src/device.c): its attempt goes on, and refuses others.
    private mutating func endForeignAttempt(_ now: SessionClock.Instant) -> Action {
        lastError = .inProgress
        foreignAttempts += 1
        if foreignAttempts <= 2 { return .endForeignAttempt(byForgetting: foreignAttempts == 2) }
        return retry(.attempt, because: BlueZError.inProgress.diagnosis.message, now)
    }

    private static let earlyEnd = "it ends as soon as it is there, twice in a row"
    private static let noAnswer = "the unit did not answer in time"

    /// What the deadline leaves to say: bluetoothd's own words where it had any.
    private var failure: Action {
        .fail(lastError.map(Failure.bluez) ?? .link(.connectFailed(address, reason: lastReason)))
    }

    private mutating func go(_ step: RetryStep, _ now: SessionClock.Instant) -> Action {
        guard now < deadline else { return failure }
        stepBegan = now
        switch step {
        case .find: return .find
        case .awaitAdapter: return .awaitAdapter
        case .attempt:
            lastReason = Self.noAnswer
            // A rest too short for an attempt of its own belongs to this one.
            let remaining = now.duration(to: deadline)
            return .connect(until: remaining >= Self.leastAttempt * 2 ? now.advanced(by: Self.leastAttempt) : deadline)
        }
    }

    private mutating func recover(from error: BlueZError, _ now: SessionClock.Instant) -> Action {
        lastError = error
        let reason = error.diagnosis.message
        switch error.recovery {
        case .again: return retry(.attempt, because: reason, now)
        case .rediscover: return retry(.find, because: reason, now)
        case .awaitAdapter: return retry(.awaitAdapter, because: reason, now)
        case .pairAgain: return follow(bond.pairingRefused(reason), because: reason, now)
        case .giveUp: return .fail(.bluez(error))
        }
    }

    private mutating func follow(_ step: BondRecovery.Step, because reason: String, _ now: SessionClock.Instant) -> Action {
        switch step {
        case .tryAgain: retry(.attempt, because: reason, now)
        case .forgetKey: .forget
        case .fail(let error): .fail(.link(error))
        }
    }

    private mutating func retry(_ step: RetryStep, because reason: String, _ now: SessionClock.Instant) -> Action {
        lastReason = reason
        // In crowded air an immediate second attempt usually works; an error that comes at once, again and again, must not spin.
        if !hasFailed || stepBegan.duration(to: now) >= Self.quickFailure {
            hasFailed = true
            return go(step, now)
        }
        guard now < deadline else { return failure }
        defer { pause = min(pause * 2, Self.longestPause) }
        stepAfterPause = step
        return .pause(until: min(deadline, now.advanced(by: pause)))
    }
}
