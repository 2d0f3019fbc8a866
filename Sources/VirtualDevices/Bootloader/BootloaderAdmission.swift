/// The checks of an init packet in the SDK's order (`nrf_dfu_validation_prevalidate`, `nrf_dfu_ver_validation_check`,
/// `nrf_dfu_cache_prepare`). Only application updates are modelled: another type counts as an invalid init command.
struct BootloaderAdmission {
    let configuration: BootloaderConfiguration
    let storage: BootloaderStorage

    struct Accepted: Equatable {
        /// Bytes of the image to come.
        var size: Int
        /// Whether the old application has to go because both do not fit.
        var givesUpApplication: Bool
    }

    enum Verdict: Equatable {
        case accepted(Accepted)
        case refused(BootloaderResult)
    }

    func judge(_ packet: BootloaderInitPacket) -> Verdict {
        if let refusal = signatureRefusal(packet) ?? versionRefusal(packet.command) { return .refused(refusal) }
        guard let size = packet.command.applicationSize, size > 0 else {
            return .refused(.extended(.initCommandInvalid))
        }
        return room(for: Int(size))
    }

    /// Whether any trusted key signed `message`.
    func trusts(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        configuration.trustedKeys.contains {
            BootloaderCryptography.verifies(signature: signature, of: message, key: $0)
        }
    }

    private func signatureRefusal(_ packet: BootloaderInitPacket) -> BootloaderResult? {
        let isApplication = (packet.command.type ?? 0) == 0
        guard configuration.signatureRequired || !isApplication else { return nil }
        guard let signature = packet.signature else { return .extended(.signatureMissing) }
        guard signature.type == 0 else { return .extended(.wrongSignatureType) }
        guard signature.bytes.count == 64 else { return .operationFailed }
        return trusts(signature.bytes, of: packet.commandBytes) ? nil : .invalidObject
    }

    private func versionRefusal(_ command: BootloaderInitPacket.Command) -> BootloaderResult? {
        guard command.type == 0 else { return .extended(.initCommandInvalid) }
        guard command.hash?.type == 3 else { return .extended(.wrongHashType) }
        guard let hardware = command.hardwareVersion else { return .extended(.initCommandInvalid) }
        guard hardware == configuration.hardwareVersion else { return .extended(.hardwareMismatch) }
        // A first id of 0 asks to overwrite the SoftDevice, which a Bluetooth bootloader never allows.
        guard command.softDevices.first != 0, command.softDevices.contains(configuration.softDeviceID) else {
            return .extended(.softDeviceMismatch)
        }
        guard configuration.preventsDowngrade else { return nil }
        guard let version = command.firmwareVersion else { return .extended(.initCommandInvalid) }
        let isHighEnough = version > storage.applicationVersion
            || (configuration.acceptsSameVersion && version == storage.applicationVersion)
        return isHighEnough ? nil : .extended(.firmwareVersionTooLow)
    }

    private func room(for size: Int) -> Verdict {
        let page = configuration.pageSize
        let occupied = (storage.application.count + page - 1) / page * page
        if occupied + size <= configuration.applicationCapacity {
            return .accepted(Accepted(size: size, givesUpApplication: false))
        }
        guard size <= configuration.applicationCapacity else { return .refused(.insufficientResources) }
        return .accepted(Accepted(size: size, givesUpApplication: true))
    }
}
