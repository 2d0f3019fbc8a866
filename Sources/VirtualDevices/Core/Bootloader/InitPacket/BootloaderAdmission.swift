/// The checks of an init packet in the SDK's order (`nrf_dfu_validation_prevalidate`, `nrf_dfu_ver_validation_check`).
struct BootloaderAdmission {
    let configuration: BootloaderConfiguration
    let settings: BootloaderSettings

    func refusal(of packet: BootloaderInitPacket) -> BootloaderResult? {
        signatureRefusal(packet) ?? commandRefusal(packet.command)
    }

    private func signatureRefusal(_ packet: BootloaderInitPacket) -> BootloaderResult? {
        guard configuration.signatureRequired || packet.command.kind != .application else { return nil }
        guard let signature = packet.signature else { return .extended(.signatureMissing) }
        guard signature.type == 0 else { return .extended(.wrongSignatureType) }
        guard signature.bytes.count == 64 else { return .operationFailed }
        return configuration.trusts(signature.bytes, of: packet.commandBytes) ? nil : .invalidObject
    }

    private func commandRefusal(_ command: BootloaderInitPacket.Command) -> BootloaderResult? {
        guard let type = command.type, BootloaderInitPacket.Kind(rawValue: type) != nil else { return .extended(.initCommandInvalid) }
        guard command.hash?.type == 3 else { return .extended(.wrongHashType) }
        guard let hardware = command.hardwareVersion else { return .extended(.initCommandInvalid) }
        guard hardware == configuration.hardwareVersion else { return .extended(.hardwareMismatch) }
        guard fitsSoftDevice(command) else { return .extended(.softDeviceMismatch) }
        return versionRefusal(command)
    }

    /// A first id of 0 stands for an image that may overwrite the SoftDevice: alone it is let through for an application.
    private func fitsSoftDevice(_ command: BootloaderInitPacket.Command) -> Bool {
        guard let first = command.softDevices.first else { return false }
        guard first == 0 else { return command.softDevices.contains(configuration.softDeviceID) }
        switch command.kind {
        case .application: return !configuration.preventsDowngrade || command.softDevices.count == 1
        case .softDevice: return false
        case .bootloader, .softDeviceAndBootloader: return true
        }
    }

    private func versionRefusal(_ command: BootloaderInitPacket.Command) -> BootloaderResult? {
        guard let version = command.firmwareVersion else {
            let isNeeded = command.kind != .softDevice && (command.kind != .application || configuration.preventsDowngrade)
            return isNeeded ? .extended(.initCommandInvalid) : nil
        }
        let isHighEnough =
            switch command.kind {
            case .application, .softDevice:
                !configuration.preventsDowngrade || version > settings.applicationVersion
                    || (configuration.acceptsSameVersion && version == settings.applicationVersion)
            case .bootloader, .softDeviceAndBootloader: version > settings.bootloaderVersion
            }
        return isHighEnough ? nil : .extended(.firmwareVersionTooLow)
    }
}

extension BootloaderConfiguration {
    /// Whether any trusted key signed `message`.
    func trusts(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        trustedKeys.contains { BootloaderCryptography.verifies(signature: signature, of: message, key: $0) }
    }
}

extension BootloaderInitPacket.Command {
    func bootloaderFits(_ configuration: BootloaderConfiguration) -> Bool {
        guard kind == .bootloader || kind == .softDeviceAndBootloader, let size = bootloaderSize else { return true }
        return size <= configuration.bootloaderCapacity
    }

    /// Bytes of the image; `nil` when the packet does not say, or says 0.
    func imageSize(_ configuration: BootloaderConfiguration) -> UInt32? {
        let size: UInt32 =
            switch kind {
            case .application: applicationSize ?? 0
            case .softDevice: softDeviceSize ?? 0
            case .bootloader: bootloaderSize ?? 0
            case .softDeviceAndBootloader: (softDeviceSize ?? 0) &+ (bootloaderSize ?? 0)
            }
        return size > 0 ? size : nil
    }
}
