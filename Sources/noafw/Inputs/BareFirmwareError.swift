import Provisioning
import Support

/// Why firmware does not go to a unit that would take it from anybody.
enum BareFirmwareError: Error, Hashable, Sendable {
    case noFile(FamilyID)
    case noKey(path: String)
    case missing(path: String)
    case notTrusted(path: String, keys: [String])
}

extension BareFirmwareError: DiagnosableError {
    static let signing = "openssl pkeyutl -sign -rawin -inkey KEY -in FILE -out FILE.sig"

    var diagnosis: Diagnosis {
        switch self {
        case .noFile(let family):
            Diagnosis(
                "IMG-0001", .missingInput, nil, "there is no firmware for the \(family)",
                cause: "none is published: it is built with ESP-IDF", remedy: "give the image with --firmware FILE")
        case .noKey(let path):
            Diagnosis(
                "IMG-0002", .permission, nil, "no trusted key vouches for \(path)",
                cause: "the unit checks no signature, and no key is trusted here that could",
                remedy: "give the key that signed it with --trust KEY, or accept it as it is with --unsigned")
        case .missing(let path):
            Diagnosis(
                "IMG-0003", .badData, nil, "\(path) is not signed: there is no \(path).sig",
                cause: "a key is trusted, so an image needs its signature",
                remedy: "sign it: \(Self.signing); or accept it as it is with --unsigned, without --trust")
        case .notTrusted(let path, let keys):
            Diagnosis(
                "IMG-0004", .badData, nil, "no trusted key signed \(path) (\(keys.joined(separator: ", ")))",
                cause: "another key signed it, or the file or its signature was changed",
                remedy: "fetch both anew, or give the right key with --trust")
        }
    }
}
