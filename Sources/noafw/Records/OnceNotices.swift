import Provisioning
import Synchronization

/// Passes each notice on once, however many units it is for.
final class OnceNotices: Sendable {
    private let told = Mutex<Set<String>>([])
    private let events: LiveServices.Events

    init(_ events: @escaping LiveServices.Events) { self.events = events }

    @Sendable func tell(_ event: RunEvent) { tell(event, to: events) }

    /// - Parameter events: of the unit that the notice came with.
    func tell(_ event: RunEvent, to events: LiveServices.Events) {
        guard let text = event.notice, told.withLock({ $0.insert(text).inserted }) else { return }
        events(.notice(text))
    }
}
