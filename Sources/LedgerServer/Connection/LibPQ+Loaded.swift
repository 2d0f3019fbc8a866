import CPQ

extension LibPQ {
    /// Loaded by the first that asks, and only when a server is named.
    static let loaded: Result<LibPQ, ServerError> = withUnsafeTemporaryAllocation(of: LibPQ.self, capacity: 1) { table in
        if let reason = cpq_load(table.baseAddress!) { return .failure(.library(reason: Redaction.line(String(cString: reason)))) }
        return .success(table[0])
    }
}
