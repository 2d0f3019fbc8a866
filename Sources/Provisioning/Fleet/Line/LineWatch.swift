import Bluetooth
import Support

/// The states of `flash --watch` at one place on a line: pure. The caller passes in the units in reach, and performs the
/// actions.
///
/// idle → seen → claimed → running → verdict → absent for 10 s → idle.
public struct LineWatch: Sendable {
    public struct Rules: Sendable {
        public var families: Set<FamilyID>
        /// Addresses that are taken, however weak; no others are. `nil` takes the unit at the place: the strongest, by at least
        /// 6 dB.
        public var allowed: Set<DeviceAddress>?
        /// In dBm.
        public var threshold: Int
        /// Units that this station has worked on. Only these, and those in a list, are taken in a bootloader: all devices with
        /// Nordic's bootloader look alike.
        public var known: Set<DeviceAddress>

        public init(families: Set<FamilyID>, allowed: Set<DeviceAddress>? = nil, threshold: Int = -65, known: Set<DeviceAddress> = []) {
            self.families = families
            self.allowed = allowed
            self.threshold = threshold
            self.known = known
        }
    }

    public enum Action: Sendable, Hashable {
        /// Claim the unit for this process (and this station), then call ``claimed(at:)`` or ``refused(at:)``.
        case claim(DiscoveredUnit)
        /// Work on it, then call ``finished(_:at:)``.
        case run(DiscoveredUnit)
        /// The unit has passed in this session: show that verdict again.
        case showAgain(DiscoveredUnit, LineVerdict)
        /// Several units are here: the operator must remove all but one.
        case several([DiscoveredUnit])
        case unknownBootloader(DiscoveredUnit)
        /// The unit is gone, or only one of several remains: the place is free. A claim has ended.
        case free
        /// Nothing was heard for this long: the place may be empty and quiet, or the radio deaf.
        case silent(Duration)
        /// The last unit is finished, and no more are taken.
        case drained
    }

    public enum State: Sendable, Hashable {
        case idle
        case seen(DiscoveredUnit)
        case claimed(DiscoveredUnit)
        case running(DiscoveredUnit)
        case verdict(DiscoveredUnit, LineVerdict)
        case drained
    }

    /// How long a unit must be here before it is taken: a passer-by is strong for a moment.
    static let settling = Duration.seconds(2)
    /// How long a unit must be away before the next one: units fall asleep, and an operator's hand hides them.
    static let absence = Duration.seconds(10)
    /// In dB: how much stronger the nearest unit must be.
    static let margin = 6
    /// In dB below the threshold: down to this a unit that is here stays here.
    static let hysteresis = 10

    public private(set) var state = State.idle
    private var rules: Rules
    private var silence: SilenceWatch
    private var isDraining = false
    private var seenSince = SessionClock.Instant(offset: .zero)
    private var lastPresent = SessionClock.Instant(offset: .zero)
    private var passed: [DeviceAddress: LineVerdict] = [:]
    /// Units that could not be claimed, with the time they were last here.
    private var leftAlone: [DeviceAddress: (unit: DiscoveredUnit, lastHere: SessionClock.Instant)] = [:]
    private var crowd: Set<DeviceAddress> = []
    private var unknownBootloader: DeviceAddress?

    public init(rules: Rules, at now: SessionClock.Instant) {
        self.rules = rules
        silence = SilenceWatch(at: now)
    }
}

public struct LineVerdict: Sendable, Hashable {
    /// `nil` for a unit that passed.
    public var error: Diagnosis?
    /// On the caller's clock.
    public var time: SessionClock.Instant
    public var passed: Bool { error == nil }

    public init(error: Diagnosis?, time: SessionClock.Instant) {
        self.error = error
        self.time = time
    }
}

// MARK: - Inputs

extension LineWatch {
    public mutating func heard(at now: SessionClock.Instant) { silence.heard(at: now) }

    /// The units in reach, as ``UnitFinder`` reports them; call at least twice a second while nothing runs.
    public mutating func look(_ units: [DiscoveredUnit], at now: SessionClock.Instant) -> [Action] {
        let ours = units.filter { rules.families.contains($0.family) }
        noteAbsence(units, now)
        let actions: [Action]
        switch state {
        case .idle, .seen: actions = choose(among: ours, at: now)
        case .verdict(let unit, _): actions = awaitAbsence(of: unit, units, at: now)
        case .claimed(let unit): actions = keep(unit, units, ours)
        case .running, .drained: return []
        }
        return actions + (silence.look(at: now).map { [.silent($0)] } ?? [])
    }

    public mutating func claimed(at now: SessionClock.Instant) -> [Action] {
        guard case .claimed(let unit) = state else { return [] }
        state = .running(unit)
        return [.run(unit)]
    }

    /// The unit cannot be claimed now: it is left alone until it was away, or ``again(at:)``.
    public mutating func refused(at now: SessionClock.Instant) -> [Action] {
        guard case .claimed(let unit) = state else { return [] }
        leftAlone[unit.address] = (unit, now)
        return settle(.idle, at: now)
    }

    public mutating func finished(_ verdict: LineVerdict, at now: SessionClock.Instant) -> [Action] {
        guard case .running(let unit) = state else { return [] }
        if verdict.passed { passed[unit.address] = verdict }
        rules.known.insert(unit.address)
        lastPresent = now
        return settle(.verdict(unit, verdict), at: now)
    }

    /// The operator wants to repeat the unit that is here.
    public mutating func again(at now: SessionClock.Instant) -> [Action] {
        leftAlone = [:]
        guard case .verdict(let unit, _) = state, lastPresent.duration(to: now) < ScanResults.silence else { return [] }
        passed[unit.address] = nil
        state = .claimed(unit)
        return [.claim(unit)]
    }

    /// Takes no more units; a running one finishes.
    public mutating func drain() -> [Action] {
        isDraining = true
        switch state {
        case .claimed, .running, .drained: return []
        case .idle, .seen, .verdict:
            state = .drained
            return [.drained]
        }
    }

    /// The caller did not listen while it worked.
    private mutating func settle(_ next: State, at now: SessionClock.Instant) -> [Action] {
        silence.heard(at: now)
        state = isDraining ? .drained : next
        return isDraining ? [.drained] : []
    }
}

// MARK: - Units at the place

extension LineWatch {
    private mutating func choose(among units: [DiscoveredUnit], at now: SessionClock.Instant) -> [Action] {
        let (candidate, actions) = candidate(among: units)
        guard let candidate else {
            state = .idle
            return actions
        }
        if let verdict = passed[candidate.address] {
            (state, lastPresent) = (.verdict(candidate, verdict), now)
            return actions + [.showAgain(candidate, verdict)]
        }
        guard case .seen(let earlier) = state, earlier.address == candidate.address else {
            (state, seenSince) = (.seen(candidate), now)
            return actions
        }
        guard seenSince.duration(to: now) >= Self.settling else {
            state = .seen(candidate)
            return actions
        }
        state = .claimed(candidate)
        return actions + [.claim(candidate)]
    }

    /// While the caller waits, such as for a serial number, a claimed unit may be removed or joined by others.
    private mutating func keep(_ unit: DiscoveredUnit, _ units: [DiscoveredUnit], _ ours: [DiscoveredUnit]) -> [Action] {
        let (_, actions) = candidate(among: ours)
        guard actions.isEmpty, isHere(unit, units) else {
            state = .idle
            return actions.isEmpty ? [.free] : actions
        }
        return []
    }

    private mutating func candidate(among units: [DiscoveredUnit]) -> (DiscoveredUnit?, [Action]) {
        let free = units.filter { leftAlone[$0.address] == nil }
        if let allowed = rules.allowed {
            let listed = free.filter { allowed.contains($0.address) }
            return (listed.first { passed[$0.address] == nil } ?? listed.first, [])
        }
        guard let strongest = units.max(by: { $0.rssi < $1.rssi }), strongest.rssi >= rules.threshold else {
            unknownBootloader = nil
            return (nil, disperse())
        }
        let rivals = units.filter { $0.address != strongest.address && strongest.rssi - $0.rssi < Self.margin }
        guard rivals.isEmpty else {
            let all = [strongest] + rivals
            defer { crowd = Set(all.map(\.address)) }
            return (nil, crowd == Set(all.map(\.address)) ? [] : [.several(all)])
        }
        let dispersed = disperse()
        guard strongest.mode == .application || rules.known.contains(strongest.address) else {
            defer { unknownBootloader = strongest.address }
            return (nil, dispersed + (unknownBootloader == strongest.address ? [] : [.unknownBootloader(strongest)]))
        }
        unknownBootloader = nil
        return (leftAlone[strongest.address] == nil ? strongest : nil, dispersed)
    }

    /// Several units were reported and are no longer here.
    private mutating func disperse() -> [Action] {
        defer { crowd = [] }
        return crowd.isEmpty ? [] : [.free]
    }

    private mutating func awaitAbsence(of unit: DiscoveredUnit, _ units: [DiscoveredUnit], at now: SessionClock.Instant) -> [Action] {
        if isHere(unit, units) { lastPresent = now }
        guard lastPresent.duration(to: now) >= Self.absence else { return [] }
        state = .idle
        return [.free]
    }

    private mutating func noteAbsence(_ units: [DiscoveredUnit], _ now: SessionClock.Instant) {
        for (address, left) in leftAlone where isHere(left.unit, units) { leftAlone[address]?.lastHere = now }
        leftAlone = leftAlone.filter { $0.value.lastHere.duration(to: now) < Self.absence }
    }

    /// A unit in its bootloader is the same unit, whatever the bootloader's name. A listed unit may have been claimed from
    /// afar: it is here as long as it is as near as it was.
    private func isHere(_ unit: DiscoveredUnit, _ units: [DiscoveredUnit]) -> Bool {
        let address = unit.address
        guard let heard = units.first(where: { $0.address == address || $0.advertisedAddress == address.bootloader }) else { return false }
        let threshold = rules.allowed == nil ? rules.threshold : min(rules.threshold, unit.rssi)
        let isOutshone = units.contains { other in
            other.address != address && other.rssi - heard.rssi >= Self.margin && rules.allowed?.contains(other.address) != false
        }
        return heard.rssi >= threshold - Self.hysteresis && !isOutshone
    }
}
