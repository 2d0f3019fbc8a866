import Bluetooth
import Support
import Synchronization

/// A unit's answer to a central that wants a link. A link that comes when the central has given up ends at once.
package final class LinkReply: Sendable {
    private let answer = Inbox<Result<VirtualLink, LinkError>>()
    private let isGivenUp = Mutex(false)

    package init() {}

    func deliver(_ result: Result<VirtualLink, LinkError>) {
        let isLate = isGivenUp.withLock { isGivenUp in
            if !isGivenUp { answer.deliver(result) }
            return isGivenUp
        }
        if isLate { Self.end(result) }
    }

    /// - Returns: `nil` when the deadline passed first.
    package func wait(before deadline: SessionClock.Instant, on clock: SessionClock) async throws -> Result<VirtualLink, LinkError>? {
        do {
            if let result = try await answer.next(before: deadline, on: clock) { return result }
        } catch {
            giveUp()
            throw error
        }
        giveUp()
        return nil
    }

    /// The answer, where it is here already.
    func poll() -> Result<VirtualLink, LinkError>? { answer.poll() }

    private func giveUp() {
        isGivenUp.withLock { $0 = true }
        if let result = answer.poll() { Self.end(result) }
    }

    private static func end(_ result: Result<VirtualLink, LinkError>) {
        if case .success(let link) = result { try? link.send(.disconnect) }
    }
}
