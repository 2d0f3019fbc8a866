import Archive
import Cryptography
import Foundation
import Support

/// A Nordic DFU package (`.zip`), opened without trusting anything in it.
public struct DFUPackage: Sendable, Hashable {
    /// The largest package file in bytes; the largest image of these families has half a MiB.
    public static let fileSizeLimit = 4 * 1024 * 1024
    /// The largest image in bytes: all of an nRF52840's flash.
    public static let imageSizeLimit = 1024 * 1024

    /// A package holds a manifest and two files for each image; what else lies in it is not unpacked.
    private static let archiveLimits = ArchiveLimits(entryCount: 16, contentByteCount: .max)

    /// In the order in which they have to be sent.
    public let images: [FirmwareImage]
    /// Of the whole file, 32 bytes.
    public let sha256: [UInt8]

    /// Opens a package file.
    /// - Throws: ``DFUError/package(_:)``.
    public init(path: String) throws { try self.init(bytes: Self.contents(of: path)) }

    /// Opens a package held in memory.
    /// - Throws: ``DFUError/package(_:)``.
    public init(bytes: [UInt8]) throws {
        guard bytes.count <= Self.fileSizeLimit else {
            throw DFUError.package(.fileTooLarge(byteCount: bytes.count, limit: Self.fileSizeLimit))
        }
        sha256 = SHA256.of(bytes)
        do {
            images = try ArchiveReader.open(bytes, limits: Self.archiveLimits) { archive in
                let manifest = try Manifest(parsing: archive.read(Manifest.name, limit: Manifest.sizeLimit))
                return try FirmwareKind.updateOrder.compactMap { kind in
                    try manifest.files[kind].map { try Self.image(of: kind, $0, in: archive) }
                }
            }
        } catch let error as ArchiveError {
            throw DFUError.package(PackageFault(error))
        }
    }

    private static func image(
        of kind: FirmwareKind, _ files: Manifest.Files, in archive: ArchiveReader
    ) throws -> FirmwareImage {
        // One byte more than the limit lets the packet's own check say what is wrong with it.
        let packet = try InitPacket(parsing: archive.read(files.initPacket, limit: 16 * InitPacket.sizeLimit))
        guard packet.command.kind.manifestKeys.contains(kind) else {
            throw DFUError.package(
                .initPacketInvalid(
                    reason: "it announces \(packet.command.kind.rawValue), the manifest says \(kind.rawValue)"))
        }
        if let sizes = files.sizes, kind == .softDeviceAndBootloader {
            let said = Manifest.Sizes(
                bootloader: packet.command.bootloaderSize, softDevice: packet.command.softDeviceSize)
            guard sizes == said else {
                throw DFUError.package(.manifestInvalid(reason: "its sizes are not those of the init packet"))
            }
        }
        let bytes = try archive.read(files.image, limit: imageSizeLimit)
        return FirmwareImage(kind: packet.command.kind, bytes: bytes, initPacket: packet)
    }

    private static func contents(of path: String) throws -> [UInt8] {
        do {
            return try FileReader.read(path, limit: fileSizeLimit, followsLinks: true)
        } catch {
            switch error.kind {
            case .missing: throw DFUError.package(.missing(path: path))
            case .tooLarge(let byteCount, let limit): throw DFUError.package(.fileTooLarge(byteCount: byteCount, limit: limit))
            case .noFile, .link, .notOpened, .changing, .notReadable: throw DFUError.package(.unreadable(path: path, reason: error.reason))
            }
        }
    }
}
