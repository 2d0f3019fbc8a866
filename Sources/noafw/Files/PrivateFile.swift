import Bluetooth
import FoundationEssentials
import Glibc
import Support
import Synchronization

/// Files with what people said: readable only by their owner.
enum PrivateFile {
    struct Failure: DiagnosableError {
        let diagnosis: Diagnosis

        init(_ action: String, _ path: String, _ reason: String) {
            diagnosis = Diagnosis(
                "NOA-0076", .inputOutput, .station, "cannot \(action) \(path)", cause: reason,
                remedy: "check the folder's permissions and disk space, or choose another name")
        }
    }

    private static let noFile = "it is not a regular file"

    /// Opens a file and ensures that nobody else can read it.
    /// - Parameter flags: such as `O_APPEND`.
    static func open(_ path: String, _ flags: Int32) throws(Failure) -> Int32 {
        let descriptor = Glibc.open(path, flags | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            // A pipe that nobody reads.
            throw Failure("open", path, errno == ENXIO ? noFile : SystemError.last)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Failure("open", path, noFile)
        }
        guard status.st_mode & 0o077 == 0 || fchmod(descriptor, 0o600) == 0 else {
            close(descriptor)
            throw Failure("open", path, "others can read it, and another user owns it")
        }
        return descriptor
    }

    static func makeFolder(_ path: String) throws(Failure) {
        do {
            try FileWriter.makeFolder(path)
        } catch {
            throw Failure("make the folder", path, error.reason)
        }
    }
}

/// A file that lines are appended to; each is on its way to the disk when ``write(_:)`` returns.
final class AppendedFile: Sendable {
    private let descriptor: Int32
    private let path: String
    private let hasFailed = Atomic<Bool>(false)

    /// - Parameter followsLinks: for a file that somebody named.
    init(_ path: String, followsLinks: Bool = true) throws(PrivateFile.Failure) {
        descriptor = try PrivateFile.open(path, O_WRONLY | O_APPEND | (followsLinks ? 0 : O_NOFOLLOW))
        self.path = path
    }

    deinit { close(descriptor) }

    /// - Returns: what to report about a failure, only once.
    func write(_ line: String) -> PrivateFile.Failure? {
        if FileWriter.write((line + "\n").utf8, to: descriptor) { return nil }
        let reason = SystemError.last
        return hasFailed.exchange(true, ordering: .relaxed) ? nil : PrivateFile.Failure("write to", path, reason)
    }
}

/// A folder of numbered pictures; none is ever replaced.
final class MediaFolder: Sendable {
    private static let limit = 100_000

    private let path: String
    private let next = Mutex(1)

    init(_ path: String) throws(PrivateFile.Failure) {
        self.path = path
        try PrivateFile.makeFolder(path)
    }

    func save(_ bytes: [UInt8], as fileExtension: String) throws -> String {
        try next.withLock { number in
            while number < Self.limit {
                let file = "\(path)/photo-\(String(printf: "%04d", number)).\(fileExtension)"
                number += 1
                if access(file, F_OK) == 0 { continue }
                let descriptor: Int32
                do {
                    descriptor = try PrivateFile.open(file, O_WRONLY | O_EXCL)
                } catch {
                    if access(file, F_OK) == 0 { continue }
                    throw error
                }
                defer { close(descriptor) }
                guard FileWriter.write(bytes, to: descriptor) else {
                    throw PrivateFile.Failure("write to", file, SystemError.last)
                }
                return file
            }
            throw PrivateFile.Failure("save a picture in", path, "it already holds \(Self.limit) pictures")
        }
    }
}
