import Bluetooth
import Cryptography
import Provisioning
import ScriptBundle

/// Bundles and their keys in files named on the command line.
enum BundleFile {
    /// - Parameter limits: `unit` for what is to go to one.
    static func open(_ path: NamedPath, limits: ScriptLimits = .bundle) throws -> ReleaseBundle {
        try ReleaseBundle(InputFile.open(path, limit: ReleaseBundle.fileByteCount(limits)), place: path.name,
            families: FamilyList.supported.scripts, limits: limits)
    }

    /// What is read as an image or a package.
    /// - Throws: ``BundleError/isBundle(place:)``: people give one for the other.
    static func notOne(_ bytes: [UInt8], _ path: NamedPath) throws(BundleError) -> [UInt8] {
        if ReleaseFileKind(bytes) == .bundle { throw .isBundle(place: path.name) }
        return bytes
    }
}

enum BundleKeyFile {
    /// - Throws: ``CommandError/keyExposed(path:)`` for a key that others may read.
    static func signing(_ path: NamedPath) throws -> BundleSigningKey {
        let pem = try InputFile.read(path, limit: KeyFile.sizeLimit)
        let key = try BundleSigningKey(name: path.name, pem: pem)
        guard !PackageKeyFile.isExposed(path) else { throw CommandError.keyExposed(path: path.name) }
        return key
    }

    /// The public half of either kind.
    static func published(_ path: NamedPath) throws -> BundleKey {
        let pem = try InputFile.read(path, limit: KeyFile.sizeLimit)
        return PrivateKeyForm.isIn(pem) ? try signing(path).publicKey : try BundleKey(name: path.name, pem: pem)
    }
}
