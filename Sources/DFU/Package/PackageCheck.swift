extension DFUPackage {
    /// Checks everything that can be checked without a unit.
    /// - Returns: the key that the images are signed with.
    /// - Throws: ``DFUError/package(_:)``: category bad data, the unit untouched.
    @discardableResult
    public func check(against target: DFUTarget, trusting keys: [TrustedKey]) throws -> TrustedKey {
        if target.acceptsOnlyApplication, images.map(\.kind) != [.application] {
            throw DFUError.package(.kindsNotAccepted(images.map(\.kind), target: target.name))
        }
        var signer: TrustedKey?
        for image in images {
            try image.check(against: target)
            signer = try image.verify(with: keys)
        }
        guard let signer else { throw DFUError.package(.manifestInvalid(reason: "it names no image")) }
        return signer
    }
}

extension FirmwareImage {
    /// Holds image and init packet against each other: size and SHA-256.
    public func checkIntegrity() throws {
        let command = initPacket.command
        guard UInt64(bytes.count) == command.imageSize, !bytes.isEmpty else {
            throw DFUError.package(.imageSizeDiffers(expected: command.imageSize, actual: bytes.count))
        }
        guard command.hashType == .sha256 else { throw DFUError.package(.hashTypeUnsupported) }
        guard command.hash == sha256.reversed() else { throw DFUError.package(.hashDiffers) }
    }

    /// Holds image, init packet and target against each other, in the order in which a bootloader would find fault.
    public func check(against target: DFUTarget) throws {
        try checkIntegrity()
        let command = initPacket.command
        guard command.hardwareVersion == target.hardwareVersion else {
            throw DFUError.package(.wrongHardware(package: command.hardwareVersion, target: target.hardwareVersion))
        }
        guard command.softDevices.contains(target.softDeviceID) else {
            throw DFUError.package(.wrongSoftDevice(package: command.softDevices, target: target.softDeviceID))
        }
        guard bytes.count <= target.imageCapacity else {
            throw DFUError.package(.imageTooLarge(byteCount: bytes.count, capacity: target.imageCapacity))
        }
    }

    /// Verifies the signature over the init command's bytes as they stand in the packet.
    /// - Returns: the key that matches.
    public func verify(with keys: [TrustedKey]) throws -> TrustedKey {
        guard let signature = initPacket.signature else { throw DFUError.package(.unsigned) }
        guard signature.type == .ecdsaP256, signature.bytes.count == ECDSA.signatureLength else {
            throw DFUError.package(.signatureTypeUnsupported(type: signature.type.rawValue))
        }
        guard let key = keys.first(where: { $0.verifies(signature.bytes, over: initPacket.signedBytes) }) else {
            throw DFUError.package(.signatureNotTrusted(keys: keys.map(\.name)))
        }
        return key
    }

    /// Verifies the signature that the bootloader checks at every start, where the package brings one. It covers the
    /// image; of a SoftDevice with a bootloader the SoftDevice.
    public func verifyBootValidation(with key: TrustedKey) throws {
        let command = initPacket.command
        for validation in command.bootValidations where validation.method == .ecdsaP256 {
            let covered = kind == .softDeviceAndBootloader ? Int(command.softDeviceSize) : bytes.count
            guard key.verifies(validation.bytes, over: Array(bytes.prefix(covered))) else {
                throw DFUError.package(.bootValidationNotTrusted(key: key.name))
            }
        }
    }
}
