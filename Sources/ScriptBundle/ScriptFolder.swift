import Foundation
import Glibc
import REPL
import Support

/// A folder of scripts, read within bounds.
public struct ScriptFolder: Sendable {
    public let path: String
    /// Whether a link is read as the file it leads to. A release is made of what stands in its folder.
    let followsLinks: Bool

    public init(_ path: String, followsLinks: Bool = false) {
        self.path = path
        self.followsLinks = followsLinks
    }

    /// The names of everything in it but hidden files, as the bytes they are, sorted: neither the file system's order nor
    /// the locale's shows.
    /// - Throws: ``ScriptError/folderUnreadable(_:reason:)``.
    func names() throws(ScriptError) -> [[UInt8]] {
        guard let folder = opendir(path) else { throw .folderUnreadable(path, reason: SystemError.last) }
        defer { closedir(folder) }
        var names: [[UInt8]] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name.first != UInt8(ascii: ".") { names.append(name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// - Throws: ``ScriptError`` for a missing file, a link, a special file, or one longer than `limit` bytes.
    func read(_ name: String, limit: Int) throws(ScriptError) -> [UInt8] {
        let file = "\(path)/\(name)"
        do {
            return try FileReader.read(file, limit: limit, followsLinks: followsLinks)
        } catch {
            switch error.kind {
            case .missing: throw .fileMissing(file)
            case .tooLarge(let byteCount, let limit): throw .fileTooLong(name, byteCount: byteCount, limit: limit)
            case .noFile, .link, .notOpened, .changing, .notReadable: throw .fileUnreadable(file, reason: error.reason)
            }
        }
    }
}
