import Synchronization

/// What has to be said while a conversation has the terminal is said after it.
final class HeldNotices: Sendable {
    private let held = Mutex<[String]?>(nil)
    private let notice: @Sendable (String) -> Void

    init(_ notice: @escaping @Sendable (String) -> Void) { self.notice = notice }

    func tell(_ text: String) {
        let isHeld = held.withLock { held in
            held?.append(text)
            return held != nil
        }
        if !isHeld { notice(text) }
    }

    func during<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        held.withLock { $0 = [] }
        defer {
            let texts = held.withLock { held in
                defer { held = nil }
                return held ?? []
            }
            texts.forEach(notice)
        }
        return try await body()
    }
}
