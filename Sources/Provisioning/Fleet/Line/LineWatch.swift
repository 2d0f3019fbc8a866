import Bluetooth
import Support

/// The course of `flash --watch` at one place of a line: pure. The caller feeds what the air shows, and does what it asks for.
///
/// idle → seen → claimed → running → verdict → absent for 10 s → idle.
public struct LineWatch: Sendable {
    /// What may be taken.
    public struct Rules: Sendable {
        /// Families that are taken.
        public var families: Set<FamilyID>
        /// Addresses that are taken, however weak; no others are. `nil` takes what lies at the place: the strongest, alone by 6 dB.
        public var allowed: Set<DeviceAddress>?
        /// In dBm.
        public var threshold: Int
        /// Units that this station has worked on. Only theirs, and those of a list, are taken in a bootloader: every device with Nordic's
        /// bootloader looks alike.
        public var known: Set<DeviceAddress>

        public init(families: Set<FamilyID>, allowed: Set<DeviceAddress>? = nil, threshold: Int = -65, known: Set<DeviceAddress> = []) {
            self.families = families
            self.allowed = allowed
            self.threshold = threshold
            self.known = known
        }
    }

    /// What the caller has to do.
    public enum Action: Sendable, Hashable {
        /// Take the unit for this process (and this station), then call ``claimed(at:)`` or ``refused(at:)``.
        case claim(DiscoveredUnit)
        /// Work on it, then call ``finished(_:at:)``.
        case run(DiscoveredUnit)
        /// The unit has passed in this session: show that verdict.
        case showAgain(DiscoveredUnit, LineVerdict)
        /// Several units lie here: the operator has to remove all but one.
        case several([DiscoveredUnit])
        /// A bootloader of nobody knows what lies here.
        case stranger(DiscoveredUnit)
        /// The unit has gone, or all of several but one: the place is free. One that was claimed is not any more.
        case free
        /// Nothing at all was heard for so long: the place may be empty and quiet, or the radio deaf.
        case silent(Duration)
        /// The last unit is done, and nothing more is taken.
        case drained
    }

    public enum State: Sendable, Hashable {
        case idle
        /// It lies here, perhaps only for a moment.
        case seen(DiscoveredUnit)
        /// The caller was asked to take it.
        case claimed(DiscoveredUnit)
        case running(DiscoveredUnit)
        case verdict(DiscoveredUnit, LineVerdict)
        case drained
    }

    /// So long a unit has to lie here before it is taken: a passer-by is strong for a moment.
    static let settling = Duration.seconds(2)
    /// So long a unit has to be away before the next one: units fall asleep, and an operator's hand hides them.
    static let absence = Duration.seconds(10)
    /// In dB: of who lies here over all others.
    static let margin = 6
    /// In dB below the threshold: who lies here stays so long.
    static let hysteresis = 10

    public private(set) var state = State.idle
    private var rules: Rules
    private var silence: SilenceWatch
    private var isDraining = false
    /// Of the state `seen`.
    private var seenSince = SessionClock.Instant(offset: .zero)
    /// Of the state `verdict`.
    private var lastPresent = SessionClock.Instant(offset: .zero)
    private var passed: [DeviceAddress: LineVerdict] = [:]
    /// Could not be taken; when they were last here.
    private var leftAlone: [DeviceAddress: (unit: DiscoveredUnit, lastHere: SessionClock.Instant)] = [:]
    private var crowd: Set<DeviceAddress> = []
    /// The one that was told.
    private var stranger: DeviceAddress?

    public init(rules: Rules, at now: SessionClock.Instant) {
        self.rules = rules
        silence = SilenceWatch(at: now)
    }
}

/// What came of one unit at a line.
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

// MARK: - What the caller tells

extension LineWatch {
    /// Any sighting, of a unit or not.
    public mutating func heard(at now: SessionClock.Instant) { silence.heard(at: now) }

    /// The units in reach, as ``UnitFinder`` shows them; to be called at least twice a second while nothing runs.
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

    /// The unit is this process's.
    public mutating func claimed(at now: SessionClock.Instant) -> [Action] {
        guard case .claimed(let unit) = state else { return [] }
        state = .running(unit)
        return [.run(unit)]
    }

    /// The unit cannot be taken now: it is left alone until it was away, or ``again(at:)``.
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

    /// The operator wants the unit that lies here to be worked on once more.
    public mutating func again(at now: SessionClock.Instant) -> [Action] {
        leftAlone = [:]
        guard case .verdict(let unit, _) = state, lastPresent.duration(to: now) < ScanResults.silence else { return [] }
        passed[unit.address] = nil
        state = .claimed(unit)
        return [.claim(unit)]
    }

    /// Takes nothing more; what runs is finished.
    public mutating func drain() -> [Action] {
        isDraining = true
        switch state {
        case .claimed, .running, .drained: return []
        case .idle, .seen, .verdict:
            state = .drained
            return [.drained]
        }
    }

    /// Nothing was listened to while the caller worked.
    private mutating func settle(_ next: State, at now: SessionClock.Instant) -> [Action] {
        silence.heard(at: now)
        state = isDraining ? .drained : next
        return isDraining ? [.drained] : []
    }
}

// MARK: - Who lies here

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

    /// While its caller makes up its mind, such as for a serial number, a claimed unit may be taken away, or get company.
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
            stranger = nil
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
            defer { stranger = strongest.address }
            return (nil, dispersed + (stranger == strongest.address ? [] : [.stranger(strongest)]))
        }
        stranger = nil
        return (leftAlone[strongest.address] == nil ? strongest : nil, dispersed)
    }

    /// Several were told, and do not lie here any more.
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

    /// A unit in its bootloader is the same unit, whatever its bootloader calls itself. One of a list may have been taken from afar: it is
    /// here as long as it is as near as it was.
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
