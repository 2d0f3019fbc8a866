import Ledger
import Provisioning
import Support
import Synchronization

/// What the recording of a command's runs has to say: each thing once, however many units there are.
final class RunNotices: Sendable {
    private let told = Mutex<Set<Diagnosis>>([])

    func tell(_ notices: [LedgerNotice], _ events: RunRecorder.Events) {
        for notice in notices { tellOnce(notice.diagnosis, events) }
    }

    func tellOnce(_ diagnosis: Diagnosis, _ events: RunRecorder.Events) {
        if told.withLock({ $0.insert(diagnosis).inserted }) { Self.tell(diagnosis, events) }
    }

    static func tell(_ diagnosis: Diagnosis, _ events: RunRecorder.Events) { events(.notice(diagnosis.notice)) }
}
