import Archive
import Bluetooth
import Cryptography
import Support

/// What can be wrong with a bundle, its keys, or the making of one. No unit has been touched yet.
public enum BundleError: Error, Hashable, Sendable {
    case archive(ArchiveError, place: String)
    case scripts(ScriptError)
    case manifestInvalid(reason: String)
    case entryUnlisted(String, place: String)
    case digestDiffers(file: String, place: String, expected: String, actual: String)
    case versionDiffers(place: String, expected: String, actual: String)
    case wrongFamily(place: String, bundle: ScriptFamily, wanted: String)
    case nothingWanted(place: String)
    case fpgaInFirmware(ScriptFamily)

    case unsigned(place: String)
    case signerNotTrusted(place: String, signer: String, trusted: [String])
    case signatureInvalid(place: String)
    case keyInvalid(name: String, reason: String)
    case keyExposed(name: String)
    case signingFailed
    /// Keys were given, but all of them are for firmware packages.
    case noBundleKey(names: [String])

    case checkerMissing(SyntaxTool)
    /// The checker's own words are untrusted text.
    case syntax(file: String, says: String)
    case checkFailed(file: String, reason: String)
}

extension BundleError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .archive(let error, let place): error.diagnosis(of: "the bundle \(place)")
        case .scripts(let error): error.diagnosis
        case .manifestInvalid, .entryUnlisted, .digestDiffers, .versionDiffers, .wrongFamily, .nothingWanted, .fpgaInFirmware: content
        case .unsigned, .signerNotTrusted, .signatureInvalid, .keyInvalid, .keyExposed, .signingFailed, .noBundleKey: signature
        case .checkerMissing, .syntax, .checkFailed: check
        }
    }

    private static let makeAgain = "do not use it; fetch it again, or make it again with noafw bundle"

    private func problem(
        _ code: String, _ message: String, cause: String, remedy: String = Self.makeAgain,
        category: Diagnosis.Category = .badData
    ) -> Diagnosis {
        Diagnosis(code: "BND-\(code)", category: category, fault: nil, message: message, cause: cause, remedy: remedy)
    }

    private var content: Diagnosis {
        switch self {
        case .entryUnlisted(let name, let place):
            problem("0002", "the bundle \(place) holds \(name), which its manifest does not list",
                    cause: "something was added after it was made")
        case .digestDiffers(let file, let place, let expected, let actual):
            problem("0003", "\(file) in the bundle \(place) has SHA-256 \(actual), its manifest says \(expected)",
                    cause: "it was changed after the bundle was made")
        case .versionDiffers(let place, let expected, let actual):
            problem("0004", "the scripts in the bundle \(place) have the version \(actual), its manifest says \(expected)",
                    cause: "scripts or version line were changed after the bundle was made")
        case .wrongFamily(let place, let bundle, let wanted):
            problem("0005", "the bundle \(place) is for the \(bundle.rawValue), not for the \(wanted)",
                    cause: "it is the bundle of another product", remedy: "use the bundle of this family")
        case .nothingWanted(let place):
            problem("0006", "the bundle \(place) holds none of the wanted parts", cause: "it was made without them",
                    remedy: "see what it holds with noafw bundle show, or want other parts with --only",
                    category: .missingInput)
        case .fpgaInFirmware(let family):
            problem("0007", "a bundle for the \(family.rawValue) takes no FPGA image", cause: "the image is inside its firmware",
                    remedy: "leave --fpga out")
        case .manifestInvalid(let reason):
            problem("0001", "the bundle's manifest is not usable: \(reason)", cause: "the bundle was made by another tool or changed")
        default: problem("0099", "the bundle is not usable", cause: "it was made by another tool or changed")
        }
    }

    private var signature: Diagnosis {
        switch self {
        case .unsigned(let place):
            problem("0010", "the bundle \(place) is not signed", cause: "it was made without --sign, and trusted keys are set",
                    remedy: "use a signed bundle of a trusted origin")
        case .signerNotTrusted(let place, let signer, let trusted):
            problem("0011", "the bundle \(place) is signed by \(signer), not with \(trusted.joined(separator: " or "))",
                    cause: "it comes from somebody else", remedy: "use a bundle of a trusted origin; if you know the signer, trust the key")
        case .signatureInvalid(let place):
            problem("0012", "the signature of the bundle \(place) does not match its manifest",
                    cause: "manifest or signature were changed after it was signed")
        case .keyExposed(let name):
            problem("0014", "others may read the private key \(name)", cause: "its permissions are not those of a secret",
                    remedy: "chmod 600 that file; make a new key if others had access", category: .permission)
        case .signingFailed:
            problem("0015", "signing failed", cause: "libcrypto refused the operation", remedy: "report this", category: .inputOutput)
        case .noBundleKey(let names):
            problem("0016", "none of the given keys can be a bundle's: \(names.joined(separator: ", "))",
                    cause: "P-256 keys sign firmware packages; bundles are signed with Ed25519 keys",
                    remedy: "give the public half of the bundle's key, or leave --trust out")
        case .keyInvalid(let name, let reason):
            problem("0013", "the key \(name) is not usable: \(reason)", cause: "it is another kind of key, encrypted or damaged",
                    remedy: "make one with noafw bundle key new, or with openssl genpkey -algorithm ed25519")
        default: content
        }
    }

    private var check: Diagnosis {
        switch self {
        case .checkerMissing(let tool):
            problem("0020", "the syntax cannot be checked: there is no \(tool.program)",
                    cause: "it is neither in \(tool.variable), nor beside noafw, nor in PATH",
                    remedy: "\(tool.installation), or go without: --no-check", category: .missingInput)
        case .syntax(let file, let says):
            problem("0021", "\(file) does not compile: \(says)", cause: "a mistake in the script",
                    remedy: "correct the script and run the same command again")
        case .checkFailed(let file, let reason):
            problem("0022", "the syntax of \(file) could not be checked: \(reason)", cause: "the checker did not do its work",
                    remedy: "run the same command again, or go without the check: --no-check", category: .inputOutput)
        default: content
        }
    }
}
