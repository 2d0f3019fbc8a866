import Bluetooth
import Provisioning
import Support
import VirtualDevices

extension VirtualFleet {
    private static let restartTimeout = Duration.seconds(10)
    /// A unit without a bond formats its files when its program is due.
    private static let formattingTime = Duration.seconds(1)

    /// Gives up the host's side of a unit's bond.
    /// - Returns: whether the host had a key of the unit.
    func forgetBond(of address: DeviceAddress) throws -> Bool {
        let hadKey = try bench.bonds.key(for: address) != nil
        try bench.bonds.forget(address)
        return hadKey
    }

    /// What a person does to make a unit on the air forget its bond. Returns when its application is on the air again.
    /// - Throws: ``ProvisioningError/unitNotFound(_:)`` when it does not come up, as in its bootloader.
    func pressCradleButton(of unit: StationUnit) async throws {
        let (central, address) = (unit.central, unit.address)
        unit.sensors?.stimulate(.unpair)
        let deadline = central.clock.deadline(in: Self.restartTimeout)
        var isBack = false
        try await central.listen(until: deadline, every: .seconds(1)) { sighting in
            isBack = sighting?.address == address
            return isBack
        }
        guard isBack else { throw ProvisioningError.unitNotFound(address) }
        try await central.clock.sleep(until: central.clock.deadline(in: Self.formattingTime))
    }
}
