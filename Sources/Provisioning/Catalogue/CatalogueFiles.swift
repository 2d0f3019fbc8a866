import Cryptography
import FoundationEssentials
import Support

enum CatalogueFiles {
    static let keyLimitBytes = 16 << 10

    /// - Parameter sha256: lower-case hexadecimal.
    static func read(_ path: String, sha256 expected: String, limitBytes: Int) throws(CatalogueError) -> [UInt8] {
        let bytes = try read(path, limitBytes: limitBytes)
        let actual = SHA256.text(of: bytes)
        guard actual == expected else { throw .digestDiffers(path: path, expected: expected, actual: actual) }
        return bytes
    }

    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Writes in one step. Accepts an existing file only if it has the same bytes.
    static func place(_ bytes: [UInt8], at path: String) throws(CatalogueError) {
        if exists(path) {
            guard try read(path, limitBytes: bytes.count) == bytes else { throw .fileTaken(path: path) }
            return
        }
        do {
            try FileWriter.replace(path, with: bytes, mode: 0o644)
        } catch {
            throw .notWritten(path: path, reason: error.reason)
        }
    }

    static func read(_ path: String, limitBytes: Int) throws(CatalogueError) -> [UInt8] {
        do {
            return try FileReader.read(path, limit: limitBytes, followsLinks: true)
        } catch {
            switch error.kind {
            case .missing: throw .fileMissing(path: path)
            case .tooLarge(_, let limit): throw .tooLarge(path: path, limitBytes: limit)
            case .noFile, .link, .notOpened, .changing, .notReadable: throw .unreadable(path: path, reason: error.reason)
            }
        }
    }

    /// Whether it can only mean a file directly in the folder that it is joined to.
    static func isSafeName(_ name: String) -> Bool {
        let isPlain = name.unicodeScalars.allSatisfy { $0.value > 0x1F && $0.value != 0x7F && $0 != "/" && $0 != "\\" }
        return isPlain && !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 128
    }
}
