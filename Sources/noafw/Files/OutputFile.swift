import FoundationEssentials
import Glibc
import Support

/// Writes a file named on the command line, completely or not at all.
enum OutputFile {
    /// Replaces a file in one step, so that an interrupted run leaves the old file or the new one.
    /// - Throws: ``CommandError/outputNotWritten(path:reason:)``.
    static func replace(_ place: OutputPlace, with bytes: [UInt8]) throws(CommandError) {
        do {
            try fill(place) { guard FileWriter.write(bytes, to: $0) else { throw failure(place) } }
        } catch let error as CommandError {
            throw error
        } catch {
            throw .outputNotWritten(path: place.path.name, reason: SystemError.text(error))
        }
    }

    /// What is written has no name until it is whole, so that a process that is killed leaves nothing.
    private static func fill<Value>(_ place: OutputPlace, _ body: (Int32) throws -> Value) throws -> Value {
        let whole = try temporaryPath(for: place.path)
        let folder = URL(fileURLWithPath: whole).deletingLastPathComponent().path
        removeLeft(in: folder)
        // Not every file system can, and the name is given through /proc.
        let descriptor = access("/proc/self/fd", X_OK) == 0 ? open(folder, O_WRONLY | temporaryFile | O_CLOEXEC, 0o666) : -1
        let named = descriptor < 0 ? open(whole, O_WRONLY | O_CREAT | O_EXCL | OpenedFile.flags, 0o666) : -1
        if named >= 0 { place.begin(whole) }
        let file = max(descriptor, named)
        guard file >= 0 else { throw failure(place) }
        defer { close(file) }
        _ = flock(file, LOCK_EX | LOCK_NB)
        let value: Value
        do {
            value = try body(file)
            guard fsync(file) == 0 else { throw failure(place) }
        } catch {
            if named >= 0 { unlink(whole) }
            throw error
        }
        if named < 0 {
            place.begin(whole)
            guard linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, whole, AT_SYMLINK_FOLLOW) == 0 else { throw failure(place) }
        }
        try place.move(whole)
        return value
    }

    private static func failure(_ place: OutputPlace) -> CommandError {
        .outputNotWritten(path: place.path.name, reason: SystemError.last)
    }

    /// `O_TMPFILE`, which Swift's view of glibc leaves out.
    private static let temporaryFile: Int32 = 0o20_000_000 | O_DIRECTORY
    private static let wholeKind = ".whole"

    /// What a process that was killed between a name and the place has left; one that is at work holds its lock.
    private static func removeLeft(in folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix(prefix) && name.hasSuffix(wholeKind) {
            let file = open("\(folder)/\(name)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { continue }
            defer { close(file) }
            if flock(file, LOCK_EX | LOCK_NB) == 0 { unlink("\(folder)/\(name)") }
        }
    }

    /// The same for text in pieces.
    /// - Parameter body: receives a function that accepts them.
    static func replaceText<Value>(_ place: OutputPlace, _ body: ((String) throws -> Void) throws -> Value) throws -> Value {
        try fill(place) { descriptor in
            let write: (String) throws -> Void = { guard FileWriter.write(Array($0.utf8), to: descriptor) else { throw failure(place) } }
            return try TextPieces.gather(into: write, body)
        }
    }

    /// Checks, as far as possible in advance, whether a result may go there: hours of work must not end in a wrong name.
    /// - Throws: ``CommandError/outputNotWritten(path:reason:)``.
    static func checkPlace(_ path: NamedPath) throws(CommandError) {
        let folder = URL(fileURLWithPath: try temporaryPath(for: path)).deletingLastPathComponent().path
        guard access(folder, W_OK | X_OK) == 0 else { throw .outputNotWritten(path: path.name, reason: SystemError.last) }
    }

    private static let prefix = ".noafw-"

    private static func temporaryPath(for path: NamedPath) throws(CommandError) -> String {
        var status = stat()
        // The rename would replace a device, a pipe or a link such as /dev/stdout by a plain file.
        if lstat(path.location, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw .outputNotWritten(path: path.name, reason: "it is there already and no regular file")
        }
        return URL(fileURLWithPath: path.location).deletingLastPathComponent()
            .appendingPathComponent("\(prefix)\(UInt64.random(in: 0 ... .max))\(wholeKind)").path
    }

    /// Creates a file that only its owner can read.
    /// - Throws: ``CommandError/outputExists(path:)`` instead of replacing anything.
    static func createSecret(_ path: NamedPath, _ bytes: [UInt8]) throws(CommandError) {
        try create(path.location, mode: 0o600, bytes, namedTo: path.name)
    }

    private static func create(_ path: String, mode: mode_t, _ bytes: [UInt8], namedTo name: String) throws(CommandError) {
        do {
            try FileWriter.create(path, bytes, mode: mode)
        } catch {
            throw error.exists ? .outputExists(path: name) : .outputNotWritten(path: name, reason: error.reason)
        }
    }
}
