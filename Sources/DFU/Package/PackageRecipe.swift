/// What a package is made of, as `nrfutil pkg generate` takes it.
public struct PackageRecipe: Sendable {
    public struct Application: Sendable {
        public var image: [UInt8]
        public var version: UInt32
        /// Passed on by the receiving device to another one.
        public var isExternal: Bool
        public var bootValidation: BootValidation.Method

        public init(
            image: [UInt8], version: UInt32, isExternal: Bool = false, bootValidation: BootValidation.Method = .crc
        ) {
            self.image = image
            self.version = version
            self.isExternal = isExternal
            self.bootValidation = bootValidation
        }
    }

    public struct SoftDevice: Sendable {
        public var image: [UInt8]
        public var bootValidation: BootValidation.Method

        public init(image: [UInt8], bootValidation: BootValidation.Method = .crc) {
            self.image = image
            self.bootValidation = bootValidation
        }
    }

    public struct Bootloader: Sendable {
        public var image: [UInt8]
        public var version: UInt32

        public init(image: [UInt8], version: UInt32) {
            self.image = image
            self.version = version
        }
    }

    public var application: Application?
    public var softDevice: SoftDevice?
    public var bootloader: Bootloader?
    public var hardwareVersion: UInt32
    /// Firmware ids of which the unit has to run one before the update.
    public var softDevices: [UInt32]
    /// The ids of the SoftDevice in the package: the application's requirement when both are in it.
    public var newSoftDevices: [UInt32] = []
    public var isDebug = false

    public init(hardwareVersion: UInt32, softDevices: [UInt32]) {
        self.hardwareVersion = hardwareVersion
        self.softDevices = softDevices
    }

    /// The package's bytes.
    /// - Parameter key: `nil` for an unsigned package, which the glasses' bootloaders refuse.
    /// - Throws: ``DFUError/package(_:)``.
    public func archive(signedBy key: SigningKey?) throws -> [UInt8] {
        let builders = try [systemBuilder(key), applicationBuilder(key)].compactMap(\.self)
        return try DFUPackageWriter(
            builders.map { builder in
                let packet = try key.map(builder.signed(by:)) ?? builder.unsigned()
                // What a bootloader would refuse for its size or form is not written.
                return DFUPackageWriter.Entry(
                    kind: builder.kind, image: builder.image, initPacket: try InitPacket(parsing: packet).bytes)
            }
        ).archive()
    }

    private func applicationBuilder(_ key: SigningKey?) throws -> InitPacketBuilder? {
        guard let application else { return nil }
        var builder = builder(application.isExternal ? .externalApplication : .application, application.image, application.version)
        if softDevice != nil { builder.softDevices = newSoftDevices }
        builder.bootValidations = [try BootValidation(application.bootValidation, of: application.image, signedBy: key)]
        return builder
    }

    /// The SoftDevice, the bootloader, or both in one image: a bootloader replaces what it runs on in one go.
    private func systemBuilder(_ key: SigningKey?) throws -> InitPacketBuilder? {
        let image = (softDevice?.image ?? []) + (bootloader?.image ?? [])
        let softDeviceValidation = try softDevice.map {
            try BootValidation($0.bootValidation, of: $0.image, signedBy: key)
        }
        var builder: InitPacketBuilder
        switch (softDevice, bootloader) {
        case (nil, nil): return nil
        // A SoftDevice has no version of its own to compare; this one is never refused as too low.
        case (.some, nil): builder = self.builder(.softDevice, image, .max)
        case (nil, .some(let bootloader)): builder = self.builder(.bootloader, image, bootloader.version)
        case (.some(let softDevice), .some(let bootloader)):
            builder = self.builder(.softDeviceAndBootloader, image, bootloader.version)
            builder.softDeviceByteCount = softDevice.image.count
        }
        builder.bootValidations = [softDeviceValidation, bootloader.map { _ in BootValidation(.crc) }].compactMap(\.self)
        return builder
    }

    private func builder(_ kind: FirmwareKind, _ image: [UInt8], _ version: UInt32) -> InitPacketBuilder {
        var builder = InitPacketBuilder(
            kind: kind, image: image, firmwareVersion: version, hardwareVersion: hardwareVersion,
            // An update of SoftDevice and application that was cut between the two has to be accepted again.
            softDevices: softDevices + newSoftDevices.filter { !softDevices.contains($0) })
        builder.isDebug = isDebug
        return builder
    }
}
