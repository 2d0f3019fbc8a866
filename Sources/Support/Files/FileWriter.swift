import FoundationEssentials
import Glibc

/// Writes files completely or not at all.
public enum FileWriter {
    /// Why a file was not written.
    public struct Failure: Error, Sendable, Hashable {
        /// In the system's words.
        public let reason: String
        /// Whether a file of this name was in the way.
        public let exists: Bool

        /// For writers of other kinds of files.
        public init(_ reason: String, exists: Bool = false) { (self.reason, self.exists) = (reason, exists) }
        static var last: Failure { Failure(SystemError.last, exists: errno == EEXIST) }
    }

    /// Writes a file that replaces the old one, or a link, in one step. One process at a time.
    /// - Parameter mode: reduced by the umask.
    public static func replace(_ path: String, with bytes: some Sequence<UInt8>, mode: mode_t = 0o600) throws(Failure) {
        let new = path + ".new"
        unlink(new)
        try create(new, Array(bytes), mode: mode, isSynchronized: false)
        guard rename(new, path) == 0 else {
            let failure = Failure.last
            unlink(new)
            throw failure
        }
    }

    /// Creates a new file.
    /// - Parameter isSynchronized: waits until the bytes are on the disk.
    public static func create(_ path: String, _ bytes: [UInt8], mode: mode_t, isSynchronized: Bool = true) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | OpenedFile.flags, mode)
        guard descriptor >= 0 else { throw .last }
        let isWritten = write(bytes, to: descriptor) && (!isSynchronized || fsync(descriptor) == 0)
        let failure = Failure(SystemError.last)
        guard close(descriptor) == 0, isWritten else {
            unlink(path)
            throw failure
        }
    }

    /// - Returns: whether everything was written; if not, see `errno`.
    public static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
        Array(bytes).withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Creates a folder and its parents, for the owner only.
    public static func makeFolder(_ path: String) throws(Failure) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(SystemError.text(error))
        }
    }
}
