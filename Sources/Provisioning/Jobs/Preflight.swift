/// The checks before anything is erased. A unit that fails them goes on with its program.
struct Preflight {
    let updaters: [any ComponentUpdater]
    let options: JobOptions

    func check(_ identity: UnitIdentity) throws {
        try checkBattery(identity)
        if !options.allowDowngrade { for updater in updaters { try updater.checkAge(on: identity) } }
    }

    private func checkBattery(_ identity: UnitIdentity) throws {
        guard options.minimumBattery > 0 else { return }
        guard let battery = identity.batteryPercent else { throw ProvisioningError.batteryUnknown }
        if battery < options.minimumBattery {
            throw ProvisioningError.batteryLow(percent: battery, minimum: options.minimumBattery)
        }
    }
}
