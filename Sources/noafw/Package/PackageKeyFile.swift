import DFU
import Foundation

/// Keys in files named on the command line.
enum PackageKeyFile {
    /// In bytes; a key has a few hundred.
    static let sizeLimit = 16 * 1024

    /// The public half of any P-256 key.
    static func trusted(_ path: String) throws -> TrustedKey {
        try TrustedKey(name: path, pem: try InputFile.read(path, limit: sizeLimit))
    }

    static func signing(_ path: String) throws -> SigningKey {
        try SigningKey(name: path, pem: try InputFile.read(path, limit: sizeLimit))
    }

    /// Whether somebody beside the owner may read it.
    static func isExposed(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }
}
