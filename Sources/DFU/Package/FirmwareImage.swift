import Cryptography

/// One image of a package with its init packet. Nothing is checked yet.
public struct FirmwareImage: Sendable, Hashable {
    /// As the package's manifest names it.
    public let kind: FirmwareKind
    /// As they are sent.
    public let bytes: [UInt8]
    /// Sent before the image.
    public let initPacket: InitPacket

    /// In the usual order; the init packet holds it byte-reversed.
    public var sha256: [UInt8] { SHA256.of(bytes) }

    /// In the image, each once.
    public var versions: [FirmwareVersion] { FirmwareVersion.all(in: bytes) }

    /// `nil` unless there is exactly one.
    public var version: FirmwareVersion? {
        let found = versions
        return found.count == 1 ? found.first : nil
    }

    /// The image against its init packet: size and SHA-256.
    public func checkIntegrity() throws {
        let command = initPacket.command
        guard UInt64(bytes.count) == command.imageSize, !bytes.isEmpty else {
            throw DFUError.package(.imageSizeDiffers(expected: command.imageSize, actual: bytes.count))
        }
        try initPacket.checkHashType()
        guard command.hash == sha256.reversed() else { throw DFUError.package(.hashDiffers) }
    }

    /// - Returns: the key that signed the init packet.
    public func verify(with keys: [TrustedKey]) throws -> TrustedKey { try initPacket.verify(with: keys) }

    /// The signatures that the bootloader checks at every start: the first boot validation covers the image; of a SoftDevice with a
    /// bootloader the first covers the SoftDevice, the second the bootloader. A unit reads no others.
    public func verifyBootValidation(with key: TrustedKey) throws {
        let command = initPacket.command
        let covered = kind == .softDeviceAndBootloader
            ? [bytes.prefix(Int(command.softDeviceSize)), bytes.dropFirst(Int(command.softDeviceSize))] : [bytes[...]]
        let used = Array(zip(command.bootValidations, covered))
        // The bootloader would refuse it only after it has received the image.
        guard !used.contains(where: { $0.0.method == .unknown }) else {
            throw DFUError.package(.initPacketInvalid(reason: "it asks for a boot validation of an unknown kind"))
        }
        for (validation, part) in used where validation.method == .ecdsaP256 {
            guard key.verifies(validation.bytes, over: Array(part)) else {
                throw DFUError.package(.bootValidationNotTrusted(key: key.name))
            }
        }
    }
}

/// The device an image has to suit.
public struct DFUTarget: Sendable, Hashable {
    let name: String
    /// The bootloader's `NRF_DFU_HW_VERSION`.
    public let hardwareVersion: UInt32
    /// The firmware id.
    public let softDeviceID: UInt32
    /// Such as `S132 7.3.0`.
    public let softDeviceName: String
    /// An upper bound in bytes; the bootloader knows the true one.
    public let imageCapacity: Int
    var acceptsOnlyApplication = true

    /// A unit that takes applications alone. The capacity is in bytes.
    public init(name: String, hardwareVersion: UInt32, softDeviceID: UInt32, softDeviceName: String, imageCapacity: Int) {
        (self.name, self.hardwareVersion, self.imageCapacity) = (name, hardwareVersion, imageCapacity)
        (self.softDeviceID, self.softDeviceName) = (softDeviceID, softDeviceName)
    }
}
