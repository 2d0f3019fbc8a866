import Support

struct DoctorRequest: Sendable {
    var adapter: String?
    var search: AssetSearch
    var stateFolder: String?
    var clock: SessionClock
}
