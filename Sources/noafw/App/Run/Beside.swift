/// Runs `body`, and `helper` beside it until `body` ends. An error of either one ends both.
func beside<Value: Sendable>(
    _ helper: @escaping @Sendable () async throws -> Void, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask {
            try await helper()
            return nil
        }
        group.addTask { try await body() }
        defer { group.cancelAll() }
        while let value = try await group.next() { if let value { return value } }
        throw CancellationError()
    }
}
