import Support

/// What can be wrong with an application image of an ESP32.
public enum ESPImageError: Error, Hashable, Sendable {
    case notAnImage(firstByte: UInt8?)
    case tooLong(byteCount: Int)
    case cutShort(byteCount: Int)
    case badSegment(number: Int, reason: String)
    case wrongChecksum
    case wrongDigest
    /// Something comes after the image.
    case followed(byteCount: Int)
    case noDescriptor
    case noDigest
    case wrongChip(ESPChip, wanted: ESPChip)
    /// The first is printable text of the image.
    case wrongProject(String, wanted: String)
    case tooLargeForSlot(byteCount: Int, slot: Int)
}

extension ESPImageError: DiagnosableError {
    public var diagnosis: Diagnosis {
        let again = "build or fetch the image again"
        return switch self {
        case .notAnImage(let byte):
            Diagnosis(
                "ESP-0001", .badData, nil,
                byte.map { "the file is not an ESP32 image: it begins with 0x\(HexText.encode([$0])), not 0xe9" } ?? "the image is empty",
                cause: "it is another kind of file, such as an ELF file or a merged image of the whole flash",
                remedy: "give the application's .bin file from the build folder")
        case .tooLong(let count):
            Diagnosis(
                "ESP-0002", .badData, nil, "the image has \(count) bytes, more than \(ESPImage.limitBytes)",
                cause: "it is another kind of file", remedy: "give the application's .bin file from the build folder")
        case .cutShort(let count):
            Diagnosis(
                "ESP-0003", .badData, nil, "the image ends early, after \(count) bytes",
                cause: "it was not copied or written to its end", remedy: again)
        case .badSegment(let number, let reason):
            Diagnosis(
                "ESP-0004", .badData, nil, number == 0 ? "the image's header is wrong: \(reason)" : "segment \(number) is wrong: \(reason)",
                cause: "what says how long its pieces are was changed", remedy: again)
        case .wrongChecksum:
            Diagnosis(
                "ESP-0005", .badData, nil, "the image's checksum is wrong",
                cause: "a byte of its code or data was changed", remedy: again)
        case .wrongDigest:
            Diagnosis(
                "ESP-0006", .badData, nil, "the image's SHA-256 is wrong",
                cause: "a byte of the file was changed after the build", remedy: again)
        case .followed(let count):
            Diagnosis(
                "ESP-0007", .badData, nil, "\(count) bytes follow the image",
                cause: "the file was read out of a flash, holds several images, or is signed for Secure Boot",
                remedy: "give the application's own .bin file")
        case .noDescriptor:
            Diagnosis(
                "ESP-0008", .badData, nil, "the image does not say which application it is",
                cause: "it is a bootloader, or it was not built with ESP-IDF 3.3 or later",
                remedy: "give the application's .bin file, not the bootloader's")
        case .noDigest:
            Diagnosis(
                "ESP-0009", .badData, nil, "the image has no SHA-256 of its own",
                cause: "it was made with elf2image --dont-append-digest", remedy: "build the image with its digest, as ESP-IDF does")
        case .wrongChip(let chip, let wanted):
            Diagnosis(
                "ESP-000A", .badData, nil, "the image is for \(chip), and the unit has \(wanted)",
                cause: "it was built for another board", remedy: "build it for \(wanted)'s board")
        case .wrongProject(let name, let wanted):
            Diagnosis(
                "ESP-000B", .badData, nil, "the image is the application \"\(name)\", not \(wanted)",
                cause: "it is another project's image", remedy: "give the image of \(wanted)")
        case .tooLargeForSlot(let count, let slot):
            Diagnosis(
                "ESP-000C", .badData, nil, "the image has \(count) bytes, and the unit has room for \(slot)",
                cause: "it was built with more in it, or for another partition table",
                remedy: "build it smaller; a new partition table needs a cable")
        }
    }
}
