/// The image in a `.hex` or `.bin` file, as it is sent to a bootloader.
public struct FirmwareFile: Sendable, Hashable {
    /// Of the file, judged by its content.
    public enum Format: Sendable, Hashable {
        /// Records with addresses, or the bare image.
        case intelHex, binary

        /// As nrfutil distinguishes them: raw bytes are named `.bin`, everything else is Intel HEX.
        public init(fileName: String) { self = fileName.lowercased().hasSuffix(".bin") ? .binary : .intelHex }
    }

    /// In bytes.
    public static let fileSizeLimit = IntelHex.fileSizeLimit

    /// What an update can replace, as nrfutil cuts it: not the MBR's 4 KiB, nor UICR and RAM from 0x1000_0000 on.
    static let updatable: Range<UInt32> = 0x1000..<0x1000_0000

    /// What may hold data: the flash of an nRF52 (at most 1 MiB), and FICR and UICR, which are left out.
    static let known: [Range<UInt32>] = [0..<0x10_0000, 0x1000_0000..<0x1000_2000]

    /// A multiple of four bytes: flash is written in words.
    public let image: [UInt8]
    /// MBR, UICR.
    public let omittedByteCount: Int

    /// - Parameter limit: the largest image in bytes.
    public init(name: String, format: Format, bytes: [UInt8], limit: Int = DFUPackage.imageSizeLimit) throws {
        do throws(FirmwareFileFault) {
            var image = bytes
            var omitted = 0
            if format == .intelHex {
                let hex = try IntelHex(parsing: bytes)
                image = try hex.image(in: Self.updatable, limit: limit)
                if let (line, address) = hex.stray(from: Self.known) { throw .elsewhere(line: line, address: address) }
                omitted = hex.count(outside: Self.updatable)
            }
            guard !image.isEmpty else { throw .empty }
            image += [UInt8](repeating: 0xFF, count: (4 - image.count % 4) % 4)
            guard image.count <= limit else { throw .tooLarge(byteCount: image.count, limit: limit) }
            (self.image, omittedByteCount) = (image, omitted)
        } catch {
            throw DFUError.firmwareFile(name: name, error)
        }
    }
}
