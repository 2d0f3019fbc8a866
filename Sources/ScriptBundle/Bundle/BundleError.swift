import Archive
import Bluetooth
import REPL
import Support

/// What can be wrong with a bundle, its keys, or its creation. No unit has been touched yet.
public enum BundleError: Error, Hashable, Sendable {
    case archive(ArchiveError, place: String)
    case scripts(ScriptError)
    /// A firmware package where a bundle is wanted.
    case isPackage(place: String)
    /// A bundle where a firmware package is wanted.
    case isBundle(place: String)
    case manifestInvalid(reason: String)
    case entryUnlisted(String, place: String)
    case digestDiffers(file: String, place: String, expected: String, actual: String)
    case versionDiffers(place: String, expected: String, actual: String)
    case wrongFamily(place: String, bundle: String, wanted: String)
    /// Their titles.
    case componentsMissing([String], place: String)
    case fpgaInFirmware(family: String)

    case unsigned(place: String)
    case signerNotTrusted(place: String, signer: String, trusted: [String])
    case signatureInvalid(place: String)
    case keyInvalid(name: String, reason: String)
    case signingFailed
    /// All keys given are for firmware packages.
    case noBundleKey(names: [String])

    /// Of what is said of a bundle.
    case statementInvalid(place: String, reason: String)
    case statementNotTrusted(place: String)
    /// Trust was asked for, and there is no key.
    case noTrust(place: String)

    case checkerMissing(SyntaxTool)
    case syntax(SyntaxMistake)
    case checkFailed(file: String, reason: String)
}

extension BundleError: DiagnosableError {
    public var diagnosis: Diagnosis {
        let makeAgain = "do not use it; fetch it again, or make it again with noafw bundle"
        return switch self {
        case .archive(let error, let place): error.diagnosis(of: "the bundle \(place)")
        case .scripts(let error): error.diagnosis
        case .isPackage(let place):
            .init("BND-0040", .badData, nil, "\(place) is a firmware package, not a bundle",
                cause: "both are zip files, and --bundle takes only one that noafw bundle made",
                remedy: "give it with --firmware instead of --bundle; noafw package inspect shows what it holds")
        case .isBundle(let place):
            .init("BND-0041", .badData, nil, "\(place) is a bundle, not a firmware package",
                cause: "both are zip files, and --firmware takes only a DFU package",
                remedy: "give it with --bundle instead of --firmware; noafw bundle show shows what it holds")
        case .manifestInvalid(let reason):
            .init("BND-0001", .badData, nil, "the bundle's manifest is not usable: \(reason)",
                cause: "the bundle was made by another tool, or it was changed", remedy: makeAgain)
        case .entryUnlisted(let name, let place):
            .init("BND-0002", .badData, nil, "the bundle \(place) holds \(name), which its manifest does not list",
                cause: "something was added after it was made", remedy: makeAgain)
        case .digestDiffers(let file, let place, let expected, let actual):
            .init("BND-0003", .badData, nil, "\(file) in the bundle \(place) has SHA-256 \(actual), its manifest says \(expected)",
                cause: "it was changed after the bundle was made", remedy: makeAgain)
        case .versionDiffers(let place, let expected, let actual):
            .init("BND-0004", .badData, nil, "the scripts in the bundle \(place) have the version \(actual), its manifest says \(expected)",
                cause: "the scripts or their version line were changed after the bundle was made", remedy: makeAgain)
        case .wrongFamily(let place, let bundle, let wanted):
            .init("BND-0005", .badData, nil, "the bundle \(place) is for the \(bundle), not for the \(wanted)",
                cause: "it is the bundle of another product", remedy: "use the bundle of this family")
        case .componentsMissing(let titles, let place):
            .init(
                "BND-0006", .missingInput, nil, "the bundle \(place) holds no \(titles.joined(separator: " and no "))",
                cause: "it was made without them",
                remedy: "see what it holds with noafw bundle show, or choose other components with --only")
        case .fpgaInFirmware(let family):
            .init("BND-0007", .badData, nil, "a bundle for the \(family) takes no FPGA image", cause: "the image is inside its firmware",
                remedy: "leave out --fpga")
        case .unsigned(let place):
            .init(
                "BND-0010", .badData, nil, "the bundle \(place) is not signed",
                cause: "it was made without --sign, and trusted keys are set",
                remedy: "use a signed bundle of a trusted origin")
        case .signerNotTrusted(let place, let signer, let trusted):
            .init("BND-0011", .badData, nil, "the bundle \(place) is signed by \(signer), not with \(trusted.joined(separator: " or "))",
                cause: "it comes from another signer",
                remedy: "use a bundle of a trusted origin; if you know the signer, add the key with --trust KEY")
        case .signatureInvalid(let place):
            .init("BND-0012", .badData, nil, "the signature of the bundle \(place) does not match its manifest",
                cause: "the manifest or the signature was changed after signing", remedy: makeAgain)
        case .keyInvalid(let name, let reason):
            .init(
                "BND-0013", .badData, nil, "the key \(name) is not usable: \(reason)",
                cause: "it is another kind of key, encrypted or damaged",
                remedy: "make one with noafw bundle key new, or with openssl genpkey -algorithm ed25519")
        case .signingFailed:
            .init(
                "BND-0015", .inputOutput, nil, "signing failed", cause: "libcrypto refused the operation",
                remedy: "report this with the output of -v")
        case .noBundleKey(let names):
            .init("BND-0016", .badData, nil, "none of the given keys is a key for bundles: \(names.joined(separator: ", "))",
                cause: "P-256 keys sign firmware packages; bundles are signed with Ed25519 keys",
                remedy: "give the public half of the bundle's key, or leave out --trust")
        case .statementInvalid(let place, let reason):
            .init("BND-0043", .badData, nil, "\(place) says nothing of this bundle: \(reason)",
                cause: "it is another file, or it was made for another bundle",
                remedy: "give the file that noafw bundle provenance --sign made for this bundle")
        case .statementNotTrusted(let place):
            .init("BND-0044", .badData, nil, "no trusted key signed \(place)",
                cause: "another key signed it, it is not signed, or it was changed",
                remedy: "fetch it anew from where the release was made; if you know the signer, add the key with --trust KEY")
        case .noTrust(let place):
            .init("BND-0045", .missingInput, nil, "no trusted key is given that could vouch for \(place)",
                cause: "--trust names none, and the trust folder is empty",
                remedy: "give the maker's public key with --trust KEY; noafw bundle show looks into a bundle without one")
        case .checkerMissing(let tool):
            .init("BND-0020", .missingInput, nil, "the syntax cannot be checked: there is no \(tool.program)",
                cause: "\(tool.variable) does not name it, and it is neither beside noafw nor in PATH",
                remedy: "\(tool.installation), or leave out the check with --no-check")
        case .syntax(let mistake):
            .init("BND-0021", .badData, nil, "\(mistake.place) does not compile: \(mistake.says)", cause: "the script has a mistake",
                remedy: "correct the script and run the same command again; noafw lint shows the mistakes of all scripts")
        case .checkFailed(let file, let reason):
            .init("BND-0022", .inputOutput, nil, "the syntax of \(file) could not be checked: \(reason)", cause: "the checker failed",
                remedy: "run the same command again, or leave out the check with --no-check")
        }
    }
}
