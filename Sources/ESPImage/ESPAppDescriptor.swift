import Support

/// What an application says of itself, at the beginning of its first segment (ESP-IDF, `esp_app_desc.h`). Texts are printable.
public struct ESPAppDescriptor: Sendable, Hashable {
    static let magic: UInt32 = 0xABCD_5432
    static let byteCount = 256

    public let secureVersion: UInt32
    /// What the build was called: a tag or a commit where the project sets nothing (ESP-IDF, `project.cmake`). The application itself may
    /// report another one.
    public let version: String
    public let projectName: String
    public let date: String
    public let time: String
    public let idfVersion: String
    /// SHA-256 of the ELF file that the image was made of.
    public let elfSHA256: [UInt8]
    /// Where it is in the file.
    public let range: Range<Int>

    init(_ bytes: [UInt8], at segment: Range<Int>?) throws(ESPImageError) {
        let reader = LittleEndianBytes(bytes)
        guard let segment, segment.count >= Self.byteCount, reader.word32(at: segment.lowerBound) == Self.magic,
            let secureVersion = reader.word32(at: segment.lowerBound + 4)
        else { throw .noDescriptor }
        let start = segment.lowerBound
        func text(_ offset: Int, _ count: Int) -> String {
            PrintableText.of(bytes[start + offset..<start + offset + count].prefix { $0 != 0 })
        }
        self.secureVersion = secureVersion
        (version, projectName) = (text(16, 32), text(48, 32))
        (time, date, idfVersion) = (text(80, 16), text(96, 16), text(112, 32))
        elfSHA256 = Array(bytes[start + 144..<start + 176])
        range = start..<start + Self.byteCount
    }
}

/// Which chip an image is for (ESP-IDF, `esp_chip_id_t`).
public struct ESPChip: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public static let esp32 = ESPChip(rawValue: 0x0000)
    public static let esp32s3 = ESPChip(rawValue: 0x0009)

    private static let names: [UInt16: String] = [
        0x0000: "esp32", 0x0002: "esp32s2", 0x0005: "esp32c3", 0x0009: "esp32s3", 0x000C: "esp32c2", 0x000D: "esp32c6", 0x0010: "esp32h2",
        0x0012: "esp32p4", 0x0014: "esp32c61", 0x0017: "esp32c5",
    ]

    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// As esptool has it.
    public var description: String { Self.names[rawValue] ?? "chip 0x" + String(rawValue, radix: 16) }
}
