import CCrypto
import Foundation

/// Bounded reading of asset files and their digests.
enum CatalogueFiles {
    static let keyLimitBytes = 16 << 10

    /// Several times what the hardware holds (512 KiB, 444,430 bytes, a heap of tens of KiB).
    static func limitBytes(_ part: CataloguePart) -> Int {
        switch part {
        case .firmware: 4 << 20
        case .fpga, .scripts: 1 << 20
        }
    }

    /// Reads a whole file and holds it against its digest.
    /// - Parameter sha256: lower-case hexadecimal.
    static func read(_ path: String, sha256 expected: String, limitBytes: Int) throws(CatalogueError) -> [UInt8] {
        let bytes = try read(path, limitBytes: limitBytes)
        let actual = sha256(bytes) ?? "unknown"
        guard actual == expected else { throw .digestDiffers(path: path, expected: expected, actual: actual) }
        return bytes
    }

    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Writes a file in one step; the same bytes may be there already, others may not.
    static func place(_ bytes: [UInt8], at path: String) throws(CatalogueError) {
        if exists(path) {
            guard try read(path, limitBytes: bytes.count) == bytes else { throw .fileTaken(path: path) }
            return
        }
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw .notWritten(path: path, reason: error.localizedDescription)
        }
    }

    /// Reads a whole regular file.
    /// - Throws: ``CatalogueError`` when it is missing, not a regular file, unreadable or longer than `limitBytes`.
    static func read(_ path: String, limitBytes: Int) throws(CatalogueError) -> [UInt8] {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved) else {
            throw .fileMissing(path: path)
        }
        // A pipe or a device would block or never end.
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw .unreadable(path: path, reason: "not a regular file")
        }
        guard let handle = FileHandle(forReadingAtPath: resolved) else {
            throw .unreadable(path: path, reason: "permission denied")
        }
        defer { try? handle.close() }
        do {
            let content = try handle.read(upToCount: limitBytes + 1) ?? Data()
            guard content.count <= limitBytes else { throw CatalogueError.tooLarge(path: path, limitBytes: limitBytes) }
            return [UInt8](content)
        } catch let error as CatalogueError {
            throw error
        } catch {
            throw .unreadable(path: path, reason: error.localizedDescription)
        }
    }

    /// Whether `name` can only mean a file directly in the folder it is joined to.
    static func isSafeName(_ name: String) -> Bool {
        let isPlain = name.unicodeScalars.allSatisfy { $0.value > 0x1F && $0.value != 0x7F && $0 != "/" && $0 != "\\" }
        return isPlain && !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 128
    }

    /// SHA-256 in lower-case hexadecimal; `nil` only when libcrypto itself fails.
    static func sha256(_ bytes: [UInt8]) -> String? {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil) == 1 else { return nil }
        return digest.prefix(Int(length)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
