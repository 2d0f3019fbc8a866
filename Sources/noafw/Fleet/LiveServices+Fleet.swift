import Provisioning

extension LiveServices: FleetService {
    func flash(_ request: FleetFlashRequest, events: @escaping FleetEvents) async throws -> FleetReport<UnitReport> {
        throw UnitSelectionError.none
    }

    func verify(_ request: FleetVerifyRequest, events: @escaping FleetEvents) async throws -> FleetReport<VerifyReport> {
        throw UnitSelectionError.none
    }
}
