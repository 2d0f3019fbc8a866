import Ledger
import Provisioning
import Support
import Synchronization

/// What the recording of a command's runs has to say: each thing once, however many units there are.
final class RunNotices: Sendable {
    private let told = Mutex<Set<LedgerNotice>>([])

    func tell(_ notices: [LedgerNotice], _ events: RunRecorder.Events) {
        for notice in notices where told.withLock({ $0.insert(notice).inserted }) { Self.tell(notice.diagnosis, events) }
    }

    /// Two lines, as a terminal cuts long ones.
    static func tell(_ diagnosis: Diagnosis, _ events: RunRecorder.Events) {
        events(.notice("\(diagnosis.message) [\(diagnosis.code)]"))
        events(.notice("next: \(diagnosis.remedy)"))
    }
}
