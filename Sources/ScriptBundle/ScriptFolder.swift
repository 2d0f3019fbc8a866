import Foundation
import Glibc
import REPL

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
        guard let folder = opendir(path) else { throw .folderUnreadable(path, reason: Self.lastReason) }
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
        // A pipe without a writer would block.
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: throw .fileMissing(file)
            case ELOOP: throw .fileUnreadable(file, reason: "it is a link")
            default: throw .fileUnreadable(file, reason: Self.lastReason)
            }
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .fileUnreadable(file, reason: "not a regular file")
        }
        guard status.st_size <= limit else { throw .fileTooLong(name, byteCount: Int(status.st_size), limit: limit) }
        // One byte more: the file may grow meanwhile.
        let bytes = try Self.contents(descriptor, capacity: Int(status.st_size) + 1, file)
        guard bytes.count == status.st_size else { throw .fileUnreadable(file, reason: "it changes while it is read") }
        return bytes
    }

    private static func contents(_ descriptor: Int32, capacity: Int, _ file: String) throws(ScriptError) -> [UInt8] {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            while count < capacity {
                let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, capacity - count)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else {
                    failed = got < 0
                    return
                }
                count += got
            }
        }
        if failed { throw .fileUnreadable(file, reason: lastReason) }
        return bytes
    }

    private static var lastReason: String { String(cString: strerror(errno)) }
}
