/// Listens for units.
protocol ScanService: Sendable {
    /// - Parameter look: gets the units in reach, at least twice a second.
    func scan(_ request: ScanRequest, look: @escaping @Sendable (ScanReport) -> Void) async throws -> ScanReport
}

struct ScanRequest: Sendable {
    var adapter: String?
    var listening: Duration
    var stateFolder: String
}
