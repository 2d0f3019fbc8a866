import Provisioning
import Support
import Synchronization

/// Passes each notice on once, however many units it is for.
final class OnceNotices: Sendable {
    typealias Events = @Sendable (RunEvent) -> Void

    private let told = Mutex<Set<String>>([])
    private let events: Events

    init(_ events: @escaping Events) { self.events = events }

    @Sendable func tell(_ event: RunEvent) {
        if let text = event.notice { tell(text, to: events) }
    }

    /// - Parameter events: those of the unit that it is about.
    func tell(_ diagnosis: Diagnosis, to events: Events) { tell(diagnosis.notice, to: events) }

    private func tell(_ text: String, to events: Events) {
        if told.withLock({ $0.insert(text).inserted }) { events(.notice(text)) }
    }
}
