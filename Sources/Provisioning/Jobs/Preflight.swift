import DFU

/// The checks before anything is erased. A unit that fails them goes on with its program.
struct Preflight {
    let firmware: FirmwareAsset?
    let options: JobOptions

    func check(_ identity: UnitIdentity) throws {
        try checkBattery(identity)
        try checkDowngrade(identity)
    }

    private func checkBattery(_ identity: UnitIdentity) throws {
        guard options.minimumBattery > 0 else { return }
        guard let battery = identity.batteryPercent else { throw ProvisioningError.batteryUnknown }
        if battery < options.minimumBattery {
            throw ProvisioningError.batteryLow(percent: battery, minimum: options.minimumBattery)
        }
    }

    private func checkDowngrade(_ identity: UnitIdentity) throws {
        guard !options.allowDowngrade, let firmware, identity.versions[.firmware] != firmware.version else { return }
        guard let unit = identity.versions[.firmware].flatMap(FirmwareVersion.init), let ours = FirmwareVersion(firmware.version) else {
            throw ProvisioningError.ageUnknown(unit: identity.versions[.firmware], ours: firmware.version)
        }
        if ours < unit { throw ProvisioningError.downgrade(from: unit.description, to: ours.description) }
    }
}
