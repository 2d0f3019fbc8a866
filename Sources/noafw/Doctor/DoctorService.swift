import Support

/// Examines this machine.
protocol DoctorService: Sendable {
    func examine(_ request: DoctorRequest) async -> DoctorFacts
}

struct DoctorRequest: Sendable {
    var adapter: String?
    var search: AssetSearch
    var stateFolder: String?
    var clock: SessionClock
}
