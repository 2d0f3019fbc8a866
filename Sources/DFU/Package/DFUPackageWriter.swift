import Archive

/// Writes a package.
public struct DFUPackageWriter: Sendable {
    public struct Entry: Sendable {
        public var kind: FirmwareKind
        public var image: [UInt8]
        public var initPacket: [UInt8]

        public init(kind: FirmwareKind, image: [UInt8], initPacket: [UInt8]) {
            self.kind = kind
            self.image = image
            self.initPacket = initPacket
        }
    }

    /// One of each kind at most.
    public var entries: [Entry]

    public init(_ entries: [Entry]) { self.entries = entries }

    public init(kind: FirmwareKind = .application, image: [UInt8], initPacket: [UInt8]) {
        self.init([Entry(kind: kind, image: image, initPacket: initPacket)])
    }

    /// The archive's bytes. The same input gives the same bytes.
    public func archive() throws -> [UInt8] {
        var manifest = Manifest(files: [:])
        var contents: [String: [UInt8]] = [:]
        for entry in entries {
            let name = entry.kind.rawValue
            var files = Manifest.Files(image: "\(name).bin", initPacket: "\(name).dat")
            if entry.kind == .softDeviceAndBootloader { files.sizes = try Self.sizes(of: entry) }
            contents[files.image] = entry.image
            contents[files.initPacket] = entry.initPacket
            manifest.files[entry.kind.manifestKeys[0]] = files
        }
        contents[Manifest.name] = try manifest.serialized()
        do {
            return try ArchiveWriter.archive(contents)
        } catch {
            throw DFUError.package(PackageFault(error))
        }
    }

    private static func sizes(of entry: Entry) throws -> Manifest.Sizes {
        let command = try InitPacket(parsing: entry.initPacket).command
        return Manifest.Sizes(bootloader: command.bootloaderSize, softDevice: command.softDeviceSize)
    }
}
