/// Checks an init packet in the SDK's order (`nrf_dfu_validation_prevalidate`, `nrf_dfu_ver_validation_check`).
extension SecureBootloader {
    func refusal(of packet: BootloaderInitPacket) -> BootloaderResult? {
        guard let signature = packet.signature else { return .signatureMissing }
        guard signature.type == 0 else { return .wrongSignatureType }
        guard signature.bytes.count == 64 else { return .operationFailed }
        guard configuration.trusts(signature.bytes, of: packet.commandBytes) else { return .invalidObject }
        let command = packet.command
        guard let type = command.type, BootloaderInitPacket.Kind(rawValue: type) != nil else { return .initCommandInvalid }
        guard command.hash?.type == 3 else { return .wrongHashType }
        guard let hardware = command.hardwareVersion else { return .initCommandInvalid }
        guard hardware == configuration.hardwareVersion else { return .hardwareMismatch }
        guard fitsSoftDevice(command) else { return .softDeviceMismatch }
        guard let version = command.firmwareVersion else { return command.kind == .softDevice ? nil : .initCommandInvalid }
        return isHighEnough(version, command.kind) ? nil : .firmwareVersionTooLow
    }

    /// A first id of 0 means that the image may overwrite the SoftDevice. An application passes with that id alone.
    private func fitsSoftDevice(_ command: BootloaderInitPacket.Command) -> Bool {
        guard let first = command.softDevices.first else { return false }
        guard first == 0 else { return command.softDevices.contains(configuration.softDeviceID) }
        switch command.kind {
        case .application: return command.softDevices.count == 1
        case .softDevice: return false
        case .bootloader, .softDeviceAndBootloader: return true
        }
    }

    private func isHighEnough(_ version: UInt32, _ kind: BootloaderInitPacket.Kind) -> Bool {
        switch kind {
        case .application, .softDevice: version >= settings.applicationVersion
        case .bootloader, .softDeviceAndBootloader: version > settings.bootloaderVersion
        }
    }
}

extension BootloaderInitPacket.Command {
    func bootloaderFits(_ configuration: BootloaderConfiguration) -> Bool {
        guard kind == .bootloader || kind == .softDeviceAndBootloader, let size = bootloaderSize else { return true }
        return size <= configuration.bootloaderCapacity
    }

    /// Bytes of the image; `nil` if the packet states none, or 0.
    var imageSize: UInt32? {
        let size: UInt32? = switch kind {
        case .application: applicationSize
        case .softDevice: softDeviceSize
        case .bootloader: bootloaderSize
        case .softDeviceAndBootloader: (softDeviceSize ?? 0) &+ (bootloaderSize ?? 0)
        }
        return size == 0 ? nil : size
    }
}

/// The result of a request: one byte, or 0x0B and one more (nRF5 SDK, `nrf_dfu_req_handler.h`, `nrf_dfu_handling_error.h`).
struct BootloaderResult: Sendable, Equatable {
    let bytes: [UInt8]

    private init(_ bytes: UInt8...) { self.bytes = bytes }

    static let success = BootloaderResult(0x01), notSupported = BootloaderResult(0x02), invalidParameter = BootloaderResult(0x03)
    static let insufficientResources = BootloaderResult(0x04), invalidObject = BootloaderResult(0x05)
    static let notPermitted = BootloaderResult(0x08), operationFailed = BootloaderResult(0x0A)
    static let initCommandInvalid = BootloaderResult(0x0B, 0x04), firmwareVersionTooLow = BootloaderResult(0x0B, 0x05)
    static let hardwareMismatch = BootloaderResult(0x0B, 0x06), softDeviceMismatch = BootloaderResult(0x0B, 0x07)
    static let signatureMissing = BootloaderResult(0x0B, 0x08), wrongHashType = BootloaderResult(0x0B, 0x09)
    static let wrongSignatureType = BootloaderResult(0x0B, 0x0B), verificationFailed = BootloaderResult(0x0B, 0x0C)
}
