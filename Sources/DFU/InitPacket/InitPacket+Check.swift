import Cryptography
extension InitPacket {
    /// Holds what the packet says against a unit, in the order in which its bootloader would find fault.
    public func check(against target: DFUTarget) throws {
        guard command.hashType == .sha256 else { throw DFUError.package(.hashTypeUnsupported) }
        guard command.hardwareVersion == target.hardwareVersion else {
            throw DFUError.package(.wrongHardware(package: command.hardwareVersion, target: target.hardwareVersion))
        }
        guard suits(softDevice: target.softDeviceID) else {
            throw DFUError.package(.wrongSoftDevice(package: command.softDevices, target: target.softDeviceID))
        }
        guard command.imageSize > 0, command.imageSize <= target.imageCapacity else {
            throw DFUError.package(
                .imageTooLarge(byteCount: Int(clamping: command.imageSize), capacity: target.imageCapacity))
        }
    }

    /// A first id of 0 asks to overwrite the SoftDevice: a bootloader over Bluetooth takes it for an application, alone
    /// (nRF5 SDK, `nrf_dfu_ver_validation.c`, `sd_req_ok`).
    private func suits(softDevice id: UInt32) -> Bool {
        guard command.softDevices.first == 0 else { return command.softDevices.contains(id) }
        return command.kind == .application && command.softDevices.count == 1
    }

    /// Verifies the signature over the init command's bytes as they stand in the packet.
    /// - Returns: the key that matches.
    public func verify(with keys: [TrustedKey]) throws -> TrustedKey {
        guard let signature else { throw DFUError.package(.unsigned) }
        guard signature.type == .ecdsaP256, signature.bytes.count == P256.signatureByteCount else {
            throw DFUError.package(.signatureTypeUnsupported(type: signature.type.rawValue))
        }
        guard let key = keys.first(where: { $0.verifies(signature.bytes, over: signedBytes) }) else {
            throw DFUError.package(.signatureNotTrusted(keys: keys.map(\.name)))
        }
        return key
    }
}
