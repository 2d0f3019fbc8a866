/// The image that a `.hex` or `.bin` file holds, as it is sent to a bootloader.
public struct FirmwareFile: Sendable, Hashable {
    public enum Format: Sendable, Hashable {
        case intelHex
        case binary

        /// As nrfutil tells them apart: raw bytes are named `.bin`, everything else is Intel HEX.
        public init(fileName: String) { self = fileName.lowercased().hasSuffix(".bin") ? .binary : .intelHex }
    }

    /// The largest file in bytes.
    public static let fileSizeLimit = IntelHex.fileSizeLimit

    /// What an update can replace, as nrfutil cuts it: the 4 KiB of the MBR stay, and from 0x1000_0000 on there are
    /// the UICR and the RAM.
    static let updatable: Range<UInt32> = 0x1000..<0x1000_0000

    /// What may hold data: the flash of an nRF52 (at most 1 MiB), and FICR and UICR, which are left out.
    static let known: [Range<UInt32>] = [0..<0x10_0000, 0x1000_0000..<0x1000_2000]

    /// A multiple of four bytes: flash is written in words.
    public let image: [UInt8]
    /// Bytes of the file that are no part of the image: MBR, UICR.
    public let omittedByteCount: Int

    /// - Parameters:
    ///   - name: the file's name for messages.
    ///   - limit: the largest image in bytes.
    /// - Throws: ``DFUError/firmwareFile(name:_:)``.
    public init(
        name: String, format: Format, bytes: [UInt8], limit: Int = DFUPackage.imageSizeLimit
    ) throws {
        do {
            (image, omittedByteCount) = try Self.read(bytes, format, limit)
        } catch {
            throw DFUError.firmwareFile(name: name, error)
        }
    }

    private static func read(
        _ bytes: [UInt8], _ format: Format, _ limit: Int
    ) throws(FirmwareFileFault) -> (image: [UInt8], omitted: Int) {
        var image = bytes
        var omitted = 0
        if format == .intelHex {
            let hex = try IntelHex(parsing: bytes)
            image = try hex.image(in: updatable, limit: limit)
            if let (line, address) = hex.stray(from: known) { throw .elsewhere(line: line, address: address) }
            omitted = hex.count(outside: updatable)
        }
        guard !image.isEmpty else { throw .empty }
        image += [UInt8](repeating: 0xFF, count: (4 - image.count % 4) % 4)
        guard image.count <= limit else { throw .tooLarge(byteCount: image.count, limit: limit) }
        return (image, omitted)
    }
}
