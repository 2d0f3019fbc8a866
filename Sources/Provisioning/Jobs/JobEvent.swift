import Bluetooth
import Support

/// What happens during one unit's job. The library never prints: the terminal, the plain log and the JSON lines read these.
public struct JobEvent: Sendable {
    public enum Content: Sendable {
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
    }

    /// The application's address; `nil` for what concerns no unit.
    public var unit: DeviceAddress?
    /// On the clock of the job.
    public var time: SessionClock.Instant
    public var content: Content

    public init(unit: DeviceAddress?, time: SessionClock.Instant, content: Content) {
        self.unit = unit
        self.time = time
        self.content = content
    }

    /// What concerns no unit, before any job.
    public static func notice(_ text: String) -> JobEvent {
        JobEvent(unit: nil, time: SessionClock.Instant(offset: .zero), content: .notice(text))
    }
}
