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
            let key = try image.verify(with: keys)
            try image.verifyBootValidation(with: key)
            signer = key
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
        try initPacket.check(against: target)
    }

    /// Verifies the signature over the init command's bytes as they stand in the packet.
    /// - Returns: the key that matches.
    public func verify(with keys: [TrustedKey]) throws -> TrustedKey { try initPacket.verify(with: keys) }

    /// Verifies the signatures that the bootloader checks at every start, where the package brings them: the first boot validation
    /// covers the image; of a SoftDevice with a bootloader the first covers the SoftDevice, the second the bootloader. A unit reads no
    /// further ones.
    public func verifyBootValidation(with key: TrustedKey) throws {
        let command = initPacket.command
        // The bootloader finds out about a kind that it does not know when it has the image.
        let covered = kind == .softDeviceAndBootloader
            ? [bytes.prefix(Int(command.softDeviceSize)), bytes.dropFirst(Int(command.softDeviceSize))] : [bytes[...]]
        let used = Array(zip(command.bootValidations, covered))
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
