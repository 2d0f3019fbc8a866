import Bluetooth
import Support

extension PackageFault {
    private static let fetchAgain = "fetch the package again from its source and compare its SHA-256"
    private static let useReleased = "use a package made by `noafw package create`, nrfutil or the vendor"

    /// One table, so that the compiler misses no case.
    var diagnosis: Diagnosis {
        switch self {
        case .missing(let path):
            problem(
                "DFU-1000", "there is no firmware package at \(path)", cause: "the path is mistyped or the file was moved",
                remedy: "check the path given with --firmware", category: .missingInput)
        case .unreadable(let path, let reason):
            problem(
                "DFU-1001", "the firmware package \(path) cannot be read: \(reason)",
                cause: "it is not a regular file, or this user may not read it",
                remedy: "check the file's type and permissions", category: .inputOutput)
        case .fileTooLarge(let byteCount, let limit):
            problem(
                "DFU-1002", "the firmware package has \(byteCount) bytes or more, the limit is \(limit)",
                cause: "it is not a DFU package for this unit", remedy: Self.useReleased)
        case .notAnArchive(let reason):
            problem(
                "DFU-1003", "the firmware package is not an intact zip archive: \(reason)",
                cause: "the file is truncated, damaged or of another kind", remedy: Self.fetchAgain)
        case .tooManyEntries(let count, let limit):
            problem(
                "DFU-1004", "the firmware package lists \(count) entries, the limit is \(limit)",
                cause: "it is not a DFU package", remedy: Self.useReleased)
        case .unsafeEntryName(let name):
            problem(
                "DFU-1005", "the firmware package holds an entry with an unsafe name: \(name)",
                cause: "the name leads out of the package, or the archive was tampered with",
                remedy: "do not use this package; \(Self.useReleased)")
        case .duplicateEntry(let name):
            problem(
                "DFU-1006", "the firmware package holds \(name) more than once",
                cause: "the archive is ambiguous: two programs could read two different images from it",
                remedy: "do not use this package; \(Self.useReleased)")
        case .entryTooLarge(let name, let byteCount, let limit):
            problem(
                "DFU-1007", "\(name) in the firmware package has \(byteCount) bytes or more, the limit is \(limit)",
                cause: "it was made for another device, or it is a zip bomb", remedy: Self.useReleased)
        case .entryDamaged(let name, let reason):
            problem(
                "DFU-1008", "\(name) in the firmware package cannot be unpacked: \(reason)",
                cause: "the archive is damaged, or it states wrong sizes", remedy: Self.fetchAgain)
        case .entryMissing(let name):
            problem(
                "DFU-1010", "the firmware package has no \(name)", cause: "the package is incomplete, or it is not a DFU package",
                remedy: Self.useReleased)
        case .kindsNotAccepted(let kinds, let target):
            problem(
                "DFU-1011",
                "the firmware package holds \(kinds.map(\.rawValue).joined(separator: ", ")); "
                    + "noafw gives a \(target) an application only",
                cause: "a SoftDevice or bootloader update could leave the unit beyond rescue",
                remedy: "use a package with a single application")
        case .manifestInvalid(let reason):
            problem(
                "DFU-1009", "manifest.json in the firmware package is not usable: \(reason)",
                cause: "the package was made by hand or by an unknown tool", remedy: Self.useReleased)
        case .initPacketInvalid(let reason):
            problem(
                "DFU-1012", "the init packet is not usable: \(reason)",
                cause: "the package is damaged or was made by an unknown tool", remedy: Self.useReleased)
        case .initPacketTooLarge(let byteCount, let limit):
            problem(
                "DFU-1013", "the init packet has \(byteCount) bytes, a bootloader takes \(limit)",
                cause: "the package was made for another device", remedy: Self.useReleased)
        case .imageSizeDiffers(let expected, let actual):
            problem(
                "DFU-1014", "the image has \(actual) bytes, its init packet says \(expected)",
                cause: "image and init packet come from different builds, or the image is truncated",
                remedy: Self.fetchAgain)
        case .hashTypeUnsupported:
            problem(
                "DFU-1015", "the init packet does not carry a SHA-256 of the image",
                cause: "the package was made by an unknown tool", remedy: Self.useReleased)
        case .hashDiffers:
            problem(
                "DFU-1016", "the image does not match the SHA-256 in its init packet",
                cause: "the image was changed or damaged after it was signed", remedy: Self.fetchAgain)
        case .wrongHardware(let package, let target):
            problem(
                "DFU-1017", "the package is made for hardware version \(package), the unit has \(target)",
                cause: "it is the package of another product", remedy: "use the package of this family")
        case .wrongSoftDevice(let package, let target):
            problem(
                "DFU-1018", "the package wants SoftDevice \(package.map(Self.hex).joined(separator: ", ")), "
                    + "the unit runs \(Self.hex(target))",
                cause: "it is the package of another product",
                remedy: "use the package of this family")
        case .imageTooLarge(let byteCount, let capacity):
            problem(
                "DFU-1019", "the image has \(byteCount) bytes, the unit has room for at most \(capacity)",
                cause: "it was made for a larger device", remedy: "use the package of this family")
        case .unsigned:
            problem(
                "DFU-1020", "the package is not signed", cause: "it was made without a key; the bootloader refuses it",
                remedy: "sign it: `noafw package create --key-file KEY`")
        case .signatureTypeUnsupported(let type):
            problem(
                "DFU-1021", "the package carries a signature of type \(type), not 64 bytes of ECDSA P-256 with SHA-256",
                cause: "it was made for another bootloader", remedy: Self.useReleased)
        case .signatureNotTrusted(let keys):
            problem(
                "DFU-1022", "the package's signature does not verify with "
                    + (keys.isEmpty ? "any key: none is trusted" : keys.joined(separator: ", ")),
                cause: "it was signed with another key, or changed after it was signed",
                remedy: "add the public key with --trust KEY if you know the signer; do not use the package otherwise")
        case .bootValidationNotTrusted(let key):
            problem(
                "DFU-1023", "the signature for boot validation does not verify with \(key)",
                cause: "it was made with another key than the package's own, or for another image",
                remedy: "make the package again; the bootloader would not start this image")
        case .keyInvalid(let name, let reason):
            problem(
                "DFU-1030", "the key \(name) is not usable: \(reason)",
                cause: "it is not an unencrypted P-256 key in PEM form",
                remedy: "give a P-256 key in PEM form, as `noafw package key new` or `openssl ecparam -genkey` writes it")
        case .signingFailed(let reason):
            problem(
                "DFU-1031", "signing failed: \(reason)", cause: "libcrypto refused the operation",
                remedy: "report this with the output of -v", category: .inputOutput)
        case .archiveNotWritten(let reason):
            problem(
                "DFU-1032", "the package cannot be written: \(reason)", cause: "libzip refused the operation",
                remedy: "report this with the output of -v", category: .inputOutput)
        }
    }

    private func problem(
        _ code: String, _ message: String, cause: String, remedy: String, category: Diagnosis.Category = .badData
    ) -> Diagnosis {
        Diagnosis(code: code, category: category, fault: nil, message: message, cause: cause, remedy: remedy)
    }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
