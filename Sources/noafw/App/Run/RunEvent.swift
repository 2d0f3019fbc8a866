import Bluetooth
import Ledger
import Provisioning
import Support

/// What happens during a run, of one unit or of many: the terminal, the plain log and the JSON lines fold these.
struct RunEvent: Sendable {
    enum Content: Sendable {
        /// How many units there are to work on.
        case planned(units: Int)
        case started(adapter: String)
        case job(JobEvent.Content)
        /// The unit's run is recorded: once when its record is opened, once when it is closed, `nil` where it was taken back.
        case recorded(RunRecord?)
        case ended(UnitResult, seconds: Double)
        /// What concerns the whole run.
        case notice(String)
    }

    /// `nil` for what concerns no unit.
    var unit: FleetUnit?
    var content: Content

    init(unit: FleetUnit?, content: Content) { (self.unit, self.content) = (unit, content) }

    /// Of the only unit, which its address names.
    init(_ event: JobEvent) {
        self.init(unit: event.unit.map { FleetUnit(id: $0.description, address: $0) }, content: .job(event.content))
    }
}

extension RunEvent {
    /// Of what several units have and a single one has not.
    var isOfFleet: Bool {
        switch content {
        case .planned, .started, .ended: true
        case .job, .recorded, .notice: false
        }
    }
}

extension RunEvent.Content {
    /// What the operator should know.
    var notice: String? {
        switch self {
        case .notice(let text), .job(.notice(let text)): text
        default: nil
        }
    }
}
