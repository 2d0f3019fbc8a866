import Bluetooth
import Support

/// Makes a usable link: events in, actions out.
struct ConnectMachine: Sendable {
    enum Action: Sendable, Hashable {
        case awaitAdapter
        /// Discover until the device is seen.
        case find
        case pause(until: SessionClock.Instant)
        /// Call `Connect`, or `Pair` when a bond is required and missing.
        case connect(until: SessionClock.Instant)
        case awaitServices
        /// Remove the device, its keys and its attribute table.
        case forget
        /// End a dead client's attempt by `Disconnect`, and if asked by removing the unbonded device.
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
        /// While its services were awaited.
        case linkLost
        /// The link to a bonded device ended while bluetoothd was encrypting it.
        case encryptionFailed
        /// The step reached its deadline.
        case timedOut
        case failed(BlueZError)
        /// No link came about, and the adapter, which has other links, may be full.
        case noPlace(BlueZError)
        /// Another client is connecting.
        case attemptPending
    }

    enum Failure: Error, Sendable, Hashable {
        case link(LinkError)
        case bluez(BlueZError)
    }

    static let leastAttempt = Duration.seconds(10)
    /// After a faster failure comes a pause, except after the first.
    static let quickFailure = Duration.milliseconds(500)
    static let longestPause = Duration.seconds(2)

    private enum RetryStep: Sendable { case attempt, find, awaitAdapter }

    private let address: DeviceAddress
    private let deadline: SessionClock.Instant
    private var bond: BondRecovery
    private var hadAdapter = false
    private var hasFailed = false
    private var stepBegan = SessionClock.Instant(offset: .zero)
    private var pause = Duration.milliseconds(100)
    private var stepAfterPause = RetryStep.attempt
    private var lastReason = notSeen
    private var lastError: BlueZError?
    /// Attempts that failed because the adapter was full.
    private var crowdedOut = 0
    private var foreignAttempts = 0

    init(address: DeviceAddress, deadline: SessionClock.Instant) {
        self.address = address
        self.deadline = deadline
        bond = BondRecovery(address: address)
    }

    mutating func handle(_ event: Event, at now: SessionClock.Instant) -> Action {
        switch event {
        case .adapterReady(let isKnown):
            hadAdapter = true
            // It has come back.
            if lastError?.recovery == .awaitAdapter { (lastError, lastReason) = (nil, Self.notSeen) }
            return go(isKnown ? .attempt : .find, now)
        case .found: return go(.attempt, now)
        case .paused: return go(stepAfterPause, now)
        case .forgotten: return go(.find, now)
        case .connected: return .awaitServices
        case .resolved: return .succeed
        case .linkLost: return retry(.attempt, because: "the link was lost before the services were known", now)
        case .encryptionFailed: return follow(bond.encryptionFailed(Self.earlyEnd), because: Self.earlyEnd, now)
        case .timedOut:
            // At the deadline, gives the current step's reason.
            return now < deadline ? retry(.attempt, because: Self.noAnswer, now) : failure
        case .failed(let error): return recover(from: error, now)
        case .noPlace(let error): return queue(because: error, now)
        case .attemptPending: return endForeignAttempt(now)
        }
    }

    /// Believes bluetoothd's plain report of a full adapter at once, any other only the second time.
    private mutating func queue(because error: BlueZError, _ now: SessionClock.Instant) -> Action {
        crowdedOut += 1
        if error == .linkLimit || crowdedOut > 1 { return .fail(.link(.adapterFull(error.diagnosis.message))) }
        return recover(from: error, now)
    }

    /// When a client dies inside `Connect`, its attempt goes on and blocks others (bluetoothd 5.87, src/device.c).
    private mutating func endForeignAttempt(_ now: SessionClock.Instant) -> Action {
        lastError = .inProgress
        foreignAttempts += 1
        if foreignAttempts <= 2 { return .endForeignAttempt(byForgetting: foreignAttempts == 2) }
        return retry(.attempt, because: BlueZError.inProgress.diagnosis.message, now)
    }

    private static let earlyEnd = "it ends as soon as it is there, twice in a row"
    private static let notSeen = "no such device advertises"
    private static let noAnswer = "the unit did not answer in time"

    /// At the deadline: bluetoothd's own words, if any.
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
            // A remainder too short for another attempt is added to this one.
            let remaining = now.duration(to: deadline)
            return .connect(until: remaining >= Self.leastAttempt * 2 ? now.advanced(by: Self.leastAttempt) : deadline)
        }
    }

    private mutating func recover(from error: BlueZError, _ now: SessionClock.Instant) -> Action {
        lastError = error
        let reason = error.diagnosis.message
        // One that this attempt has used may be plugged in again; else its name may be wrong.
        if case .noAdapter = error, !hadAdapter { return .fail(.bluez(error)) }
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
        // In crowded air an immediate second attempt usually works; an error that keeps coming at once must not spin.
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
