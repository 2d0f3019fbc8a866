import Bluetooth
import Provisioning
import Support

extension LiveServices {
    private static let connectTimeout = Duration.seconds(30)
    private static let forgetTimeout = Duration.seconds(15)

    func pair(_ request: PairRequest) async throws -> BondReport {
        let events: Events = { if case .notice(let text) = $0.content { request.notice(text) } }
        return try await withUnit(
            request.unit, search: request.search, stateFolder: request.stateFolder, events: events
        ) { unit in
            guard let rules = unit.family.provisioning, let proof = rules.bondProof else { throw BondError.noBonds(unit.family.id) }
            let clock = unit.central.clock
            let connection = try await rules.connect(
                to: unit.address, over: unit.central, deadline: clock.deadline(in: Self.connectTimeout))
            do {
                try await proof.show(over: connection, clock: clock)
            } catch {
                await connection.disconnect()
                throw error
            }
            await connection.disconnect()
            return BondReport(family: unit.family.id, address: unit.address, outcome: connection.isNewlyBonded ? .made : .kept)
        }
    }

    func unpair(_ request: UnpairRequest) async throws -> BondReport {
        switch request.unit {
        case .virtual(let name):
            try Self.checkBonds(of: name.family)
            let selection = UnitSelection(units: .virtual([name], .maximum))
            return try await withStation(selection, search: request.search, stateFolder: request.stateFolder, events: { _ in }) { station in
                let unit = try await station.onlyUnit(events: { _ in })
                return try await unit.presence.during {
                    let hadKey = try station.virtual?.forgetBond(of: unit.address) == true
                    if request.pressesCradleButton { try await station.virtual?.pressCradleButton(of: unit) }
                    return BondReport(
                        family: name.family, address: unit.address, outcome: hadKey ? .removed : .absent,
                        unit: request.pressesCradleButton ? .reset : .virtual)
                }
            }
        case .radio(let address, let adapter):
            let known = try KnownUnits(stateFolder: request.stateFolder).load().first { $0.address == address.description }
            return try await forget(address, known?.family, adapter, request)
        case .known(let adapter):
            let known = try KnownUnits(stateFolder: request.stateFolder).load().filter {
                FamilyList.supported[$0.family]?.provisioning?.bondProof != nil
            }
            guard known.count == 1, let unit = known.first, let address = DeviceAddress(unit.address) else {
                throw BondError.notNamed(known.compactMap { DeviceAddress($0.address) })
            }
            return try await forget(address, unit.family, adapter, request)
        }
    }

    /// - Parameter family: `nil` for a unit that this station has not worked on.
    private func forget(
        _ address: DeviceAddress, _ family: FamilyID?, _ adapter: String?, _ request: UnpairRequest
    ) async throws -> BondReport {
        if let family { try Self.checkBonds(of: family) }
        let lock = try UnitLock(unit: address, stateFolder: request.stateFolder)
        defer { withExtendedLifetime(lock) {} }
        return try await Radio.with(adapter: adapter) { central in
            let hadKey = try await central.forgetBond(with: address, deadline: central.clock.deadline(in: Self.forgetTimeout))
            return BondReport(family: family, address: address, outcome: hadKey ? .removed : .absent)
        }
    }

    private static func checkBonds(of family: FamilyID) throws {
        guard FamilyList.supported[family]?.provisioning?.bondProof != nil else { throw BondError.noBonds(family) }
    }
}
