struct ScanRequest: Sendable {
    var adapter: String?
    var listening: Duration
    var stateFolder: String
}
