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

        public init(families: Set<FamilyID>, allowed: Set<DeviceAddress>? = nil, threshold: Int = -65) {
            self.families = families
            self.allowed = allowed
            self.threshold = threshold
        }
    }

    /// What the caller has to do.
    public enum Action: Sendable, Hashable {
        /// Take the unit for this process (and this station), then call ``claimed(at:)`` or ``refused(_:at:)``.
        case claim(DiscoveredUnit)
        /// Work on it, then call ``finished(_:at:)``.
        case run(DiscoveredUnit)
        /// Show a verdict of this session that is already there.
        case showAgain(DiscoveredUnit, LineVerdict)
        /// Several units lie here; the operator has to remove all but one.
        case several([DiscoveredUnit])
        /// The verdict's unit has gone: the place is free.
        case free
        /// The discovery says nothing any more: end it and begin it again, then call ``scanRestarted(at:)``.
        case restartScan
        /// Restarting it twice was in vain.
        case radioHangs
        /// The last unit is done and nothing more is taken.
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

    public private(set) var state = State.idle

    public init(rules: Rules, at now: SessionClock.Instant) {}

    /// The units in reach, as ``UnitFinder/watch(until:wanting:_:)`` tells them; to be called at least twice a second while nothing runs.
    public mutating func look(_ units: [DiscoveredUnit], at now: SessionClock.Instant) -> [Action] { [] }

    /// Any sighting of anything.
    public mutating func heard(at now: SessionClock.Instant) {}
    public mutating func scanRestarted(at now: SessionClock.Instant) {}

    public mutating func claimed(at now: SessionClock.Instant) -> [Action] { [] }
    /// Somebody else has the unit, or its serial number was not given: it is left alone until it was absent.
    public mutating func refused(_ diagnosis: Diagnosis, at now: SessionClock.Instant) -> [Action] { [] }
    public mutating func finished(_ verdict: LineVerdict, at now: SessionClock.Instant) -> [Action] { [] }
    /// The operator wants the unit that lies here to be worked on once more.
    public mutating func again(at now: SessionClock.Instant) -> [Action] { [] }
    /// Nothing more is taken; what runs is finished.
    public mutating func drain() -> [Action] { [] }
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
