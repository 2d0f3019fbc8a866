import Synchronization

/// What an operator was told.
package final class Notices: Sendable {
    private let texts = Mutex<[String]>([])

    package init() {}

    package var all: [String] { texts.withLock { $0 } }
    package func add(_ text: String) { texts.withLock { $0.append(text) } }
}
