import Bluetooth
import Cryptography
import DFU
import FoundationEssentials
import Provisioning
import ScriptBundle
import Support

/// The keys that an operator trusts: Ed25519 for bundles, P-256 for firmware packages.
struct TrustInputs {
    struct Keys {
        var bundle: [BundleKey] = []
        var package: [TrustedKey] = []
    }

    /// PEM files named with `--trust`.
    var given: [NamedPath]
    /// Where the trust folder is named, and where a relative name starts.
    var search: AssetSearch

    /// - Throws: ``DFUError`` for a file that holds neither kind.
    func keys() throws -> Keys {
        try given.reduce(into: Keys()) { keys, path in
            let pem = try Self.publicText(path)
            if let key = try? BundleKey(name: path.name, pem: pem) {
                keys.bundle.append(key)
            } else {
                keys.package.append(try TrustedKey(name: path.name, pem: pem))
            }
        }
    }

    private static func publicText(_ path: NamedPath) throws -> [UInt8] {
        let pem = try InputFile.read(path, limit: KeyFile.sizeLimit)
        guard !PrivateKeyForm.isIn(pem) else { throw CommandError.privateKeyTrusted(path: path.name) }
        return pem
    }

    /// The given Ed25519 keys; without any, those of the trust folder.
    /// - Parameter note: told of every key that is for firmware packages.
    /// - Throws: ``BundleError/noBundleKey(names:)`` when keys were given, and none that a bundle may be signed with.
    func bundleKeys(note: (String) -> Void) throws -> [BundleKey] {
        let given = try keys()
        let others = given.package.map(\.name)
        for name in others { note("\(name) is a P-256 key: it is for firmware packages, not for bundles") }
        let keys = try given.bundle.isEmpty ? folderKeys() : given.bundle
        guard !keys.isEmpty || others.isEmpty else { throw BundleError.noBundleKey(names: others) }
        return keys
    }

    /// The vendor's, and the given ones.
    func packageKeys() throws -> [TrustedKey] { try FamilyList.supported.vendorKeys + keys().package }

    private func folderKeys() throws -> [BundleKey] {
        guard let folder = try folder() else { return [] }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.location).filter {
            $0.hasSuffix(".pem") && !$0.hasPrefix(".")
        }
        return try names.sorted().map { name in
            let path = search.path("\(folder.name)/\(name)")
            return try BundleKey(name: path.name, pem: try Self.publicText(path))
        }
    }

    /// `NOAFW_TRUST_DIR`, which has to exist, else `noafw/trust` in the XDG configuration folder, which need not.
    func folder() throws -> NamedPath? {
        let environment = search.environment
        if let own = environment["NOAFW_TRUST_DIR"], !own.isEmpty {
            let folder = search.path(own)
            guard Self.isFolder(folder.location) else {
                throw CommandError.noTrustFolder(path: own)
            }
            return folder
        }
        let shared = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/.config" : nil }
        guard let root = shared ?? home, Self.isFolder("\(root)/noafw/trust") else { return nil }
        return search.path("\(root)/noafw/trust")
    }

    private static func isFolder(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
    }
}

extension TrustedKey {
    /// Anybody can sign with a vendor's: its private half is published.
    var provesOrigin: Bool { !FamilyList.supported.vendorKeys.contains { $0.coordinates == coordinates } }
}

/// What is known of a bundle's origin.
enum BundleTrust: Sendable, Hashable {
    /// No trusted key was at hand.
    case notAsked
    case verified(keyName: String)

    /// - Throws: ``BundleError`` for a bundle that none of the keys signed.
    init(_ bundle: ReleaseBundle, keys: [BundleKey]) throws {
        self = keys.isEmpty ? .notAsked : .verified(keyName: try bundle.verify(trusting: keys).name)
    }

    /// The origin in an operator's words.
    func text(_ bundle: ReleaseBundle) -> String {
        guard let signer = bundle.signature?.signer.fingerprint else { return "not signed" }
        return switch self {
        case .notAsked: "signed by \(signer), unverified: no trusted key was given"
        case .verified(let name): "signed by \(signer), trusted as \(name)"
        }
    }
}
