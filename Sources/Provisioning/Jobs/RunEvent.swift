import Bluetooth
import Support

/// What happens during a run, of one unit or of many. The library never prints: the terminal, the plain log, the JSON lines and the record
/// read these.
public struct RunEvent: Sendable {
    public enum Content: Sendable {
        /// How many units there are to work on.
        case units(Int)
        /// - serial: of a unit at a line that was asked for its number.
        case started(adapter: String, serial: String? = nil)
        case stage(Stage)
        /// `overall` is 0…1 over the whole job, weighted by the expected seconds of each stage; bytes are of the current stage.
        case progress(stage: Stage, overall: Double, bytesDone: Int, bytesTotal: Int)
        /// Something the operator should know: pacing slowed down, a resumed transfer.
        case notice(String)
        /// The job begins again, after this.
        case recovery(Recovery)
        /// The unit to work on was made out.
        case found(FamilyID)
        case probed(UnitIdentity)
        case planned(Plan)
        case step(StepReport)
        /// The unit's run is recorded: once when its record is opened, once when it is closed, `nil` where it was taken back.
        case recorded(RunIdentity?)
        case ended(UnitResult, seconds: Double)
        case place(PlaceEvent)
    }

    /// `nil` for what concerns no unit.
    public var unit: FleetUnit?
    /// On the clock of the unit's link; zero for what happens before there is one.
    public var time: SessionClock.Instant
    public var content: Content

    public init(unit: FleetUnit?, time: SessionClock.Instant = SessionClock.Instant(offset: .zero), content: Content) {
        (self.unit, self.time, self.content) = (unit, time, content)
    }

    /// What the operator should know.
    public var notice: String? { if case .notice(let text) = content { text } else { nil } }

    public static func notice(_ text: String) -> RunEvent { RunEvent(unit: nil, content: .notice(text)) }
}

/// What happens at the place of a line, beside the work on its unit.
public enum PlaceEvent: Sendable, Hashable {
    /// The place is free.
    case waiting
    /// A serial number is wanted before the unit is worked on.
    case asking
    case accepted(serial: String)
    /// What was scanned is no serial number for the next unit.
    case refused(Diagnosis)
    /// Names of units that lie here together.
    case several([String])
    /// The unit is here again; it has passed so long ago.
    case metAgain(before: Duration)
    /// No more units are taken.
    case draining
}

/// Which run it was, for a system that keeps track of units.
public struct RunIdentity: Sendable, Hashable, Codable {
    public var id: String
    public var station: String
    public var `operator`: String?
    public var serial: String?
    public var order: String?
    /// ISO 8601, UTC.
    public var started: String
    public var ended: String?

    public init(id: String, station: String, operator: String?, serial: String?, order: String?, started: String, ended: String?) {
        (self.id, self.station, self.operator, self.serial, self.order, self.started, self.ended) = (
            id, station, `operator`, serial, order, started, ended
        )
    }
}
