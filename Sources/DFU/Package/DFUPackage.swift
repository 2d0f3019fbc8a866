import Archive
import Cryptography
import Support

/// A Nordic DFU package (`.zip`), opened without trusting anything in it. Everything throws ``DFUError/package(_:)``.
public struct DFUPackage: Sendable, Hashable {
    /// In bytes; the largest image of these families has half a MiB.
    public static let fileSizeLimit = 4 * 1024 * 1024
    /// In bytes: all of an nRF52840's flash.
    public static let imageSizeLimit = 1024 * 1024

    /// A manifest and two files for each image; nothing else is unpacked.
    private static let archiveLimits = ArchiveLimits(entryCount: 16, contentByteCount: .max)

    /// In the order of sending.
    public let images: [FirmwareImage]
    /// Of the whole file.
    public let sha256: [UInt8]

    /// Reads a package of at most ``fileSizeLimit`` bytes, and throws ``DFUError/package(_:)``. Images are checked by
    /// ``FirmwareImage/checkIntegrity()`` and ``FirmwareImage/verify(with:)``.
    public init(bytes: [UInt8]) throws {
        guard bytes.count <= Self.fileSizeLimit else {
            throw DFUError.package(.fileTooLarge(byteCount: bytes.count, limit: Self.fileSizeLimit))
        }
        sha256 = SHA256.of(bytes)
        do {
            images = try ArchiveReader.open(bytes, limits: Self.archiveLimits) { archive in
                let manifest = try Manifest(parsing: archive.read(Manifest.name, limit: Manifest.sizeLimit))
                return try FirmwareKind.allCases.compactMap { kind in
                    try manifest.files[kind].map { try Self.image(of: kind, $0, in: archive) }
                }
            }
        } catch let error as ArchiveError {
            throw DFUError.package(PackageFault(error))
        }
    }

    private static func image(of kind: FirmwareKind, _ files: Manifest.Files, in archive: ArchiveReader) throws -> FirmwareImage {
        // A packet past its own limit is read, so that the error names the packet.
        let packet = try InitPacket(parsing: archive.read(files.initPacket, limit: 16 * InitPacket.sizeLimit))
        let command = packet.command
        guard packet.command.kind.manifestKeys.contains(kind) else {
            throw DFUError.package(
                .initPacketInvalid(reason: "it announces \(command.kind.rawValue), the manifest says \(kind.rawValue)"))
        }
        if let sizes = files.sizes, kind == .softDeviceAndBootloader, sizes != Manifest.Sizes(command) {
            throw DFUError.package(.manifestInvalid(reason: "its sizes are not those of the init packet"))
        }
        return FirmwareImage(kind: command.kind, bytes: try archive.read(files.image, limit: imageSizeLimit), initPacket: packet)
    }

    /// Everything that needs no unit, in the order in which a bootloader finds fault.
    /// - Returns: the key that the images are signed with.
    @discardableResult
    public func check(against target: DFUTarget, trusting keys: [TrustedKey]) throws -> TrustedKey {
        if target.acceptsOnlyApplication, images.map(\.kind) != [.application] {
            throw DFUError.package(.kindsNotAccepted(images.map(\.kind), target: target.name))
        }
        var signer: TrustedKey?
        for image in images {
            try image.checkIntegrity()
            try image.initPacket.check(against: target)
            let key = try image.verify(with: keys)
            try image.verifyBootValidation(with: key)
            signer = key
        }
        guard let signer else { throw DFUError.package(.manifestInvalid(reason: "it names no image")) }
        return signer
    }
}
