import Glibc

/// Reads whole files, and nothing but regular files.
public enum FileReader {
    /// Why a file was not read.
    public struct Failure: Error, Sendable, Hashable {
        /// For a choice of words or of exit code.
        public enum Kind: Sendable, Hashable {
            /// No file of this name.
            case missing
            /// A folder, a pipe, a device.
            case noFile
            /// A link that is not followed.
            case link
            /// More bytes than the caller takes.
            case tooLarge(byteCount: Int, limit: Int)
            /// Any other reason, such as rights.
            case notOpened
            /// Its size changed while it was read.
            case changing
            /// Reading failed, as on a damaged disk.
            case notReadable
        }

        /// What kind of failure this is.
        public let kind: Kind
        /// In words, such as the system's.
        public let reason: String

        /// For readers of other kinds of files.
        public init(_ kind: Kind, _ reason: String) { (self.kind, self.reason) = (kind, reason) }
    }

    /// - Parameters:
    ///   - limit: in bytes.
    ///   - followsLinks: for a file that the operator named; our own are never links.
    public static func read(_ path: String, limit: Int, followsLinks: Bool = false) throws(Failure) -> [UInt8] {
        try OpenedFile(path, followsLinks: followsLinks).contents(limit: limit)
    }
}

/// A regular file open for reading: its status and its bytes belong to the same file.
public final class OpenedFile: Sendable {
    /// For opening any file of our own. A pipe without a writer would block the process.
    public static let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

    private let descriptor: Int32
    /// As of the opening.
    public let status: stat

    /// Waits for nothing: a pipe or a device is a ``FileReader/Failure``.
    public init(_ path: String, followsLinks: Bool = false) throws(FileReader.Failure) {
        let flags = followsLinks ? Self.flags & ~O_NOFOLLOW : Self.flags
        let descriptor = open(path, O_RDONLY | flags)
        guard descriptor >= 0 else {
            throw switch errno {
            case ENOENT, ENOTDIR: FileReader.Failure(.missing, SystemError.last)
            case ELOOP: FileReader.Failure(.link, "it is a link")
            default: FileReader.Failure(.notOpened, SystemError.last)
            }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileReader.Failure(.noFile, "it is no regular file")
        }
        self.descriptor = descriptor
        self.status = status
    }

    deinit { close(descriptor) }

    /// As of the opening.
    public var byteCount: Int { Int(status.st_size) }

    /// All bytes; a file that grows or shrinks meanwhile is ``FileReader/Failure/Kind/changing``.
    public func contents(limit: Int) throws(FileReader.Failure) -> [UInt8] {
        try check(limit: limit)
        let bytes = try read(from: 0, capacity: byteCount + 1)
        guard bytes.count == byteCount else { throw FileReader.Failure(.changing, "it changes while it is read") }
        return bytes
    }

    /// - Parameter limit: in bytes.
    public func check(limit: Int) throws(FileReader.Failure) {
        guard byteCount <= limit else {
            throw FileReader.Failure(.tooLarge(byteCount: byteCount, limit: limit), "it is larger than \(limit) bytes")
        }
    }

    /// The last `limit` bytes of the file.
    public func tail(limit: Int) throws(FileReader.Failure) -> [UInt8] {
        try read(from: max(0, byteCount - limit), capacity: min(byteCount, limit))
    }

    /// Up to `capacity` bytes, without a second copy; fewer only at the end.
    public func read(from offset: Int, capacity: Int) throws(FileReader.Failure) -> [UInt8] {
        var reason: String?
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            while count < capacity {
                let got = pread(descriptor, buffer.baseAddress.map { $0 + count }, capacity - count, off_t(offset + count))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else {
                    if got < 0 { reason = SystemError.last }
                    return
                }
                count += got
            }
        }
        if let reason { throw FileReader.Failure(.notReadable, reason) }
        return bytes
    }
}
