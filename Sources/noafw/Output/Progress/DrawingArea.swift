import Synchronization

/// What is redrawn at the end of the terminal: a line of anybody else goes above it, else the next drawing would take its place.
final class DrawingArea: Sendable {
    typealias Print = @Sendable (String) -> Void

    private let print = Mutex<Print?>(nil)
    private let isHeldBack = Mutex(false)

    /// A question stands at the end of the terminal: nothing is drawn there.
    var isHeld: Bool { isHeldBack.withLock(\.self) }

    func holding<Value: Sendable>(_ question: () async throws -> Value) async throws -> Value {
        isHeldBack.withLock { $0 = true }
        defer { isHeldBack.withLock { $0 = false } }
        return try await question()
    }

    /// - Returns: what printed above before.
    @discardableResult
    func set(_ print: Print?) -> Print? {
        self.print.withLock { current in
            defer { current = print }
            return current
        }
    }

    /// - Returns: `false` where nothing is drawn.
    func print(_ line: String) -> Bool {
        guard let print = print.withLock({ $0 }) else { return false }
        print(line)
        return true
    }
}
