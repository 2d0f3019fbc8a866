import Archive

/// What a package is made of, as `nrfutil pkg generate` takes it.
public struct PackageRecipe: Sendable {
    /// One image with its version.
    public struct Part: Sendable {
        var image: [UInt8]
        var version: UInt32
        var isExternal: Bool
        var bootValidation: BootValidation.Method

        /// - Parameter version: a SoftDevice has none to compare; the default is never refused as too low.
        public init(image: [UInt8], version: UInt32 = .max, isExternal: Bool = false, bootValidation: BootValidation.Method = .crc) {
            (self.image, self.version, self.isExternal, self.bootValidation) = (image, version, isExternal, bootValidation)
        }
    }

    /// What runs on the SoftDevice.
    public var application: Part?
    /// Together with ``bootloader`` it becomes one image.
    public var softDevice: Part?
    /// Takes the next update.
    public var bootloader: Part?
    let hardwareVersion: UInt32
    /// The unit has to run one of them before the update.
    let softDevices: [UInt32]
    /// Of the SoftDevice in the package: the application's requirement when both are in it.
    public var newSoftDevices: [UInt32] = []
    /// Debug packages skip the bootloader's checks of versions, where it was built to allow that.
    public var isDebug = false

    /// No parts yet. The SoftDevices are those on which the application or bootloader runs.
    public init(hardwareVersion: UInt32, softDevices: [UInt32]) {
        (self.hardwareVersion, self.softDevices) = (hardwareVersion, softDevices)
    }

    /// - Parameter key: `nil` for an unsigned package.
    public func archive(signedBy key: SigningKey?) throws -> [UInt8] {
        let entries = try [systemBuilder(key), applicationBuilder(key)].compactMap(\.self).map { builder in
            let packet = try key.map(builder.signed(by:)) ?? builder.unsigned()
            // Parsed, as a bootloader would refuse a wrong size or form.
            return (builder.kind, builder.image, try InitPacket(parsing: packet).bytes)
        }
        return try DFUPackageWriter(entries: entries).archive()
    }

    private func applicationBuilder(_ key: SigningKey?) throws -> InitPacketBuilder? {
        guard let application else { return nil }
        var builder = try builder(application.isExternal ? .externalApplication : .application, [application], key)
        if softDevice != nil { builder.softDevices = newSoftDevices }
        return builder
    }

    /// The SoftDevice, the bootloader, or both in one image: a bootloader replaces what it runs on in one go.
    private func systemBuilder(_ key: SigningKey?) throws -> InitPacketBuilder? {
        switch (softDevice, bootloader) {
        case (nil, nil): return nil
        case (let softDevice?, nil): return try builder(.softDevice, [softDevice], key)
        case (nil, let bootloader?): return try builder(.bootloader, [bootloader], key)
        case (let softDevice?, let bootloader?):
            var builder = try builder(.softDeviceAndBootloader, [softDevice, bootloader], key)
            builder.softDeviceByteCount = softDevice.image.count
            return builder
        }
    }

    private func builder(_ kind: FirmwareKind, _ parts: [Part], _ key: SigningKey?) throws -> InitPacketBuilder {
        var builder = InitPacketBuilder(
            kind: kind, image: parts.flatMap(\.image), firmwareVersion: parts.last?.version ?? .max, hardwareVersion: hardwareVersion,
            // An update that was cut between SoftDevice and application has to be accepted again.
            softDevices: softDevices + newSoftDevices.filter { !softDevices.contains($0) })
        builder.bootValidations = try parts.map { try BootValidation($0.bootValidation, of: $0.image, signedBy: key) }
        builder.isDebug = isDebug
        return builder
    }
}

/// Makes the file that units are updated with.
public struct DFUPackageWriter: Sendable {
    /// One of each kind at most.
    let entries: [(kind: FirmwareKind, image: [UInt8], initPacket: [UInt8])]

    /// The same input gives the same bytes.
    public func archive() throws -> [UInt8] {
        var manifest = Manifest()
        var contents: [String: [UInt8]] = [:]
        for (kind, image, packet) in entries {
            var files = Manifest.Files(image: "\(kind.rawValue).bin", initPacket: "\(kind.rawValue).dat")
            if kind == .softDeviceAndBootloader { files.sizes = Manifest.Sizes(try InitPacket(parsing: packet).command) }
            contents[files.image] = image
            contents[files.initPacket] = packet
            manifest.files[kind.manifestKeys[0]] = files
        }
        contents[Manifest.name] = try manifest.serialized()
        do {
            return try ArchiveWriter.archive(contents)
        } catch {
            throw DFUError.package(PackageFault(error))
        }
    }
}

extension DFUPackageWriter {
    /// A package of one application.
    public init(image: [UInt8], initPacket: [UInt8]) { self.init(kind: .application, image: image, initPacket: initPacket) }

    init(kind: FirmwareKind, image: [UInt8], initPacket: [UInt8]) { self.init(entries: [(kind, image, initPacket)]) }
}
