/// What is wrong with a package, an init packet or a key. Names from an archive are untrusted text.
public enum PackageFault: Hashable, Sendable {
    case missing(path: String)
    case unreadable(path: String, reason: String)
    /// Sizes in bytes.
    case fileTooLarge(byteCount: Int, limit: Int)
    case notAnArchive(reason: String)
    case tooManyEntries(count: Int, limit: Int)
    case unsafeEntryName(String)
    case duplicateEntry(String)
    case entryTooLarge(name: String, byteCount: UInt64, limit: Int)
    case entryDamaged(name: String, reason: String)
    case manifestInvalid(reason: String)
    case entryMissing(name: String)
    case kindsNotAccepted([FirmwareKind], target: String)

    case initPacketInvalid(reason: String)
    case initPacketTooLarge(byteCount: Int, limit: Int)
    case imageSizeDiffers(expected: UInt64, actual: Int)
    case hashTypeUnsupported
    case hashDiffers
    case wrongHardware(package: UInt32, target: UInt32)
    case wrongSoftDevice(package: [UInt32], target: UInt32)
    case imageTooLarge(byteCount: Int, capacity: Int)

    case unsigned
    case signatureTypeUnsupported(type: String)
    case signatureNotTrusted(keys: [String])
    case bootValidationNotTrusted(key: String)

    case keyInvalid(name: String, reason: String)
    case signingFailed(reason: String)
    case archiveNotWritten(reason: String)
}
