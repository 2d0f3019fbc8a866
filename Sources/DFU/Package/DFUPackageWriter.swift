import Archive

/// Writes a package of one image.
public struct DFUPackageWriter: Sendable {
    public var kind: FirmwareKind
    public var image: [UInt8]
    public var initPacket: [UInt8]

    public init(kind: FirmwareKind = .application, image: [UInt8], initPacket: [UInt8]) {
        self.kind = kind
        self.image = image
        self.initPacket = initPacket
    }

    /// The archive's bytes. The same input gives the same bytes.
    public func archive() throws -> [UInt8] {
        let files = Manifest.Files(image: "\(kind.rawValue).bin", initPacket: "\(kind.rawValue).dat")
        let entries = [
            Manifest.name: try Manifest(files: [kind: files]).serialized(),
            files.image: image,
            files.initPacket: initPacket,
        ]
        do {
            return try ArchiveWriter.archive(entries)
        } catch {
            throw DFUError.package(PackageFault(error))
        }
    }
}
