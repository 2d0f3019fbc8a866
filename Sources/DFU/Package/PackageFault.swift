import Archive
import Support

/// What is wrong with a package, an init packet or a key. Names from an archive are untrusted text.
public enum PackageFault: Hashable, Sendable {
    /// Sizes in bytes.
    case fileTooLarge(byteCount: Int, limit: Int)
    /// No ZIP archive.
    case notAnArchive(reason: String)
    /// More files than any package has.
    case tooManyEntries(count: Int, limit: Int)
    /// A path, or a name with odd characters.
    case unsafeEntryName(String)
    /// Two entries of one name.
    case duplicateEntry(String)
    /// In bytes, unpacked.
    case entryTooLarge(name: String, byteCount: UInt64, limit: Int)
    /// Cannot be unpacked, or its CRC differs.
    case entryDamaged(name: String, reason: String)
    /// `manifest.json` is not Nordic's.
    case manifestInvalid(reason: String)
    /// The manifest names it.
    case entryMissing(name: String)
    /// The unit takes no such parts.
    case kindsNotAccepted([FirmwareKind], target: String)

    /// No init packet of Nordic's definition.
    case initPacketInvalid(reason: String)
    /// For the room that a bootloader has.
    case initPacketTooLarge(byteCount: Int, limit: Int)
    /// From what the init packet says, in bytes.
    case imageSizeDiffers(expected: UInt64, actual: Int)
    /// The image is not the one that the init packet is about.
    case hashDiffers
    /// Hardware version or SoftDevice are another unit's.
    case otherProduct(wants: String, has: String)
    /// For the unit's flash.
    case imageTooLarge(byteCount: Int, capacity: Int)

    /// A released bootloader would refuse it.
    case unsigned
    /// Other than ECDSA over P-256.
    case signatureTypeUnsupported(type: String)
    /// None of these keys made it.
    case signatureNotTrusted(keys: [String])
    /// The signature that is checked at each start is not by this key.
    case bootValidationNotTrusted(key: String)

    /// A key file or its numbers cannot be used.
    case keyInvalid(name: String, reason: String)
    /// libcrypto made no signature.
    case signingFailed(reason: String)
    /// libzip made no archive.
    case archiveNotWritten(reason: String)

    init(_ error: ArchiveError) {
        self = switch error {
        case .notAnArchive(let reason): .notAnArchive(reason: reason)
        case .tooManyEntries(let count, let limit): .tooManyEntries(count: count, limit: limit)
        case .unsafeName(let name): .unsafeEntryName(name)
        case .duplicateEntry(let name): .duplicateEntry(name)
        case .entryMissing(let name): .entryMissing(name: name)
        case .entryTooLarge(let name, let byteCount, let limit): .entryTooLarge(name: name, byteCount: byteCount, limit: limit)
        case .contentTooLarge(let byteCount, let limit): .notAnArchive(reason: "it unpacks to \(byteCount) bytes, the limit is \(limit)")
        case .entryDamaged(let name, let reason): .entryDamaged(name: name, reason: reason)
        case .notCanonical(let name): .entryDamaged(name: name, reason: "its header is unusual")
        case .notWritten(let reason): .archiveNotWritten(reason: reason)
        }
    }

    var diagnosis: Diagnosis {
        let category: Diagnosis.Category = switch self {
        case .signingFailed, .archiveNotWritten: .inputOutput
        default: .badData
        }
        let (code, message, cause, remedy) = text
        return Diagnosis(code, category, nil, message, cause: cause, remedy: remedy)
    }

    private static let fetchAgain = "fetch the package again from its source and compare its SHA-256"
    private static let useReleased = "use a package made by `noafw package create`, nrfutil or the vendor"
    private static let useFamily = "use the package of this family"

    private var text: (code: String, message: String, cause: String, remedy: String) {
        switch self {
        case .fileTooLarge(let byteCount, let limit):
            ("DFU-1002", "the firmware package has \(byteCount) bytes or more, the limit is \(limit)",
             "it is not a DFU package for this unit", Self.useReleased)
        case .notAnArchive(let reason):
            (
                "DFU-1003", "the firmware package is not an intact zip archive: \(reason)",
                "the file is truncated, damaged or of another kind",
             Self.fetchAgain)
        case .tooManyEntries(let count, let limit):
            ("DFU-1004", "the firmware package lists \(count) entries, the limit is \(limit)", "it is not a DFU package", Self.useReleased)
        case .unsafeEntryName(let name):
            ("DFU-1005", "the firmware package holds an entry with an unsafe name: \(name)",
             "the name leads out of the package, or the archive was tampered with", "do not use this package; \(Self.useReleased)")
        case .duplicateEntry(let name):
            ("DFU-1006", "the firmware package holds \(name) more than once",
                "the archive is ambiguous: two programs could read two different images from it",
                "do not use this package; \(Self.useReleased)"
            )
        case .entryTooLarge(let name, let byteCount, let limit):
            ("DFU-1007", "\(name) in the firmware package has \(byteCount) bytes or more, the limit is \(limit)",
             "it was made for another device, or it is a zip bomb", Self.useReleased)
        case .entryDamaged(let name, let reason):
            (
                "DFU-1008", "\(name) in the firmware package cannot be unpacked: \(reason)",
                "the archive is damaged, or it states wrong sizes",
             Self.fetchAgain)
        case .manifestInvalid(let reason):
            ("DFU-1009", "manifest.json in the firmware package is not usable: \(reason)",
             "the package was made by hand or by an unknown tool", Self.useReleased)
        case .entryMissing(let name):
            ("DFU-1010", "the firmware package has no \(name)", "the package is incomplete, or it is not a DFU package", Self.useReleased)
        case .kindsNotAccepted(let kinds, let target):
            ("DFU-1011",
             "the firmware package holds \(kinds.map(\.rawValue).joined(separator: ", ")); noafw gives a \(target) an application only",
             "a SoftDevice or bootloader update could leave the unit beyond rescue", "use a package with a single application")
        case .initPacketInvalid(let reason):
            (
                "DFU-1012", "the init packet is not usable: \(reason)", "the package is damaged or was made by an unknown tool",
                Self.useReleased
            )
        case .initPacketTooLarge(let byteCount, let limit):
            ("DFU-1013", "the init packet has \(byteCount) bytes, a bootloader takes \(limit)", "the package was made for another device",
             Self.useReleased)
        case .imageSizeDiffers(let expected, let actual):
            ("DFU-1014", "the image has \(actual) bytes, its init packet says \(expected)",
             "image and init packet come from different builds, or the image is truncated", Self.fetchAgain)
        case .hashDiffers:
            ("DFU-1016", "the image does not match the SHA-256 in its init packet", "the image was changed or damaged after it was signed",
             Self.fetchAgain)
        case .otherProduct(let wants, let has):
            ("DFU-1018", "the package wants \(wants), the unit has \(has)", "it is the package of another product", Self.useFamily)
        case .imageTooLarge(let byteCount, let capacity):
            ("DFU-1019", "the image has \(byteCount) bytes, the unit has room for at most \(capacity)", "it was made for a larger device",
             Self.useFamily)
        case .unsigned:
            ("DFU-1020", "the package is not signed", "it was made without a key; the bootloader refuses it",
             "sign it: `noafw package create --key-file KEY`")
        case .signatureTypeUnsupported(let type):
            ("DFU-1021", "the package carries a signature of type \(type), not 64 bytes of ECDSA P-256 with SHA-256",
             "it was made for another bootloader", Self.useReleased)
        case .signatureNotTrusted(let keys):
            ("DFU-1022",
             "the package's signature does not verify with \(keys.isEmpty ? "any key: none is trusted" : keys.joined(separator: ", "))",
             "it was signed with another key, or changed after it was signed",
             "add the public key with --trust KEY if you know the signer; do not use the package otherwise")
        case .bootValidationNotTrusted(let key):
            ("DFU-1023", "the signature for boot validation does not verify with \(key)",
             "it was made with another key than the package's own, or for another image",
             "make the package again; the bootloader would not start this image")
        case .keyInvalid(let name, let reason):
            ("DFU-1030", "the key \(name) is not usable: \(reason)", "it is not an unencrypted P-256 key in PEM form",
             "give a P-256 key in PEM form, as `noafw package key new` or `openssl ecparam -genkey` writes it")
        case .signingFailed(let reason):
            ("DFU-1031", "signing failed: \(reason)", "libcrypto refused the operation, or there is no key",
             "report this with the output of -v")
        case .archiveNotWritten(let reason):
            ("DFU-1032", "the package cannot be written: \(reason)", "libzip refused the operation", "report this with the output of -v")
        }
    }
}
