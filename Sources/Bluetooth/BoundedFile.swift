import Foundation
import Glibc

/// Files of the state folder: for their owner alone, of bounded length, and never elsewhere by way of a link.
public enum BoundedFile {
    public struct Failure: Error, Sendable, Hashable {
        public let reason: String

        init(_ reason: String) { self.reason = reason }
        /// What the last call of the system said.
        static var last: Failure { Failure(String(cString: strerror(errno))) }
    }

    /// For every way to open one. A pipe without a writer would block the process.
    public static let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

    /// The whole of a regular file.
    /// - Parameters:
    ///   - limit: in bytes.
    ///   - followsLinks: where somebody named the file.
    /// - Throws: ``Failure``, also for a longer one.
    public static func read(_ path: String, limit: Int, followsLinks: Bool = false) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | (followsLinks ? flags & ~O_NOFOLLOW : flags))
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw Failure("it is no regular file") }
        guard status.st_size <= limit else { throw Failure("it is larger than \(limit) bytes") }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count, off_t(count)) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .last }
            if got == 0 { break }
            count += got
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Writes a file that takes the place of the old one, or of a link, in one step. One process at a time.
    public static func replace(_ path: String, with bytes: some Sequence<UInt8>) throws(Failure) {
        let new = path + ".new"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | flags, 0o600)
        guard descriptor >= 0 else { throw .last }
        let problem = write(Array(bytes), to: descriptor)
        close(descriptor)
        if let problem {
            unlink(new)
            throw problem
        }
        guard rename(new, path) == 0 else {
            defer { unlink(new) }
            throw .last
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Failure? {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return .last }
                rest = rest.dropFirst(count)
            }
            return nil
        }
    }

    /// Makes a folder, and those above it that are not there.
    public static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
