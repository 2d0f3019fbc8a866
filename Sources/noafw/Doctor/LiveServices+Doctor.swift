
extension LiveServices {
    func examine(_ request: DoctorRequest) async -> DoctorFacts { await DoctorFacts.gather(request) }
}
