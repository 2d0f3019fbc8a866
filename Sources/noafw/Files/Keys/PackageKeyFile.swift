import DFU
import FoundationEssentials
import Glibc

/// Keys in files named on the command line.
enum PackageKeyFile {
    /// In bytes; a key has a few hundred.
    static let sizeLimit = 16 * 1024

    /// The public half of any P-256 key.
    static func trusted(_ path: NamedPath) throws -> TrustedKey {
        try TrustedKey(name: path.name, pem: try InputFile.read(path, limit: sizeLimit))
    }

    /// - Throws: ``CommandError/privateKeyTrusted(path:)`` for a private one.
    static func published(_ path: NamedPath) throws -> TrustedKey {
        let pem = try InputFile.read(path, limit: sizeLimit)
        guard !PrivateKeyForm.isIn(pem) else { throw CommandError.privateKeyTrusted(path: path.name) }
        return try TrustedKey(name: path.name, pem: pem)
    }

    /// - Throws: ``CommandError/keyExposed(path:)`` for a key that others may read.
    static func signing(_ path: NamedPath) throws -> SigningKey {
        let key = try SigningKey(name: path.name, pem: try InputFile.read(path, limit: sizeLimit))
        guard !isExposed(path) else { throw CommandError.keyExposed(path: path.name) }
        return key
    }

    /// Whether anybody but the owner may read it.
    static func isExposed(_ path: NamedPath) -> Bool {
        var status = stat()
        return stat(path.location, &status) == 0 && status.st_mode & 0o077 != 0
    }
}
