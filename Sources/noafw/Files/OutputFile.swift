import FoundationEssentials
import Glibc
import Support

/// Writes a file named on the command line, completely or not at all.
enum OutputFile {
    /// Replaces a file in one step, so that an interrupted run leaves the old file or the new one.
    /// - Throws: ``CommandError/outputNotWritten(path:reason:)``.
    static func replace(_ place: OutputPlace, with bytes: [UInt8]) throws(CommandError) {
        let temporary = try temporaryPath(for: place.path)
        place.begin(temporary)
        try create(temporary, mode: 0o666, bytes, namedTo: place.path.name)
        try place.move(temporary)
    }

    /// The same for content that is not in memory.
    /// - Parameter write: writes to the given path.
    /// - Throws: ``CommandError/outputNotWritten(path:reason:)``, and the error of `write`.
    static func replace<Value>(_ place: OutputPlace, write: (String) throws -> Value) throws -> Value {
        let temporary = try temporaryPath(for: place.path)
        place.begin(temporary)
        let value: Value
        do {
            value = try write(temporary)
        } catch {
            unlink(temporary)
            throw error
        }
        let descriptor = open(temporary, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            let reason = SystemError.last
            unlink(temporary)
            throw CommandError.outputNotWritten(path: place.path.name, reason: reason)
        }
        try place.move(temporary)
        return value
    }

    /// The same for text in pieces.
    /// - Parameter body: receives a function that accepts them.
    static func replaceText<Value>(_ place: OutputPlace, _ body: ((String) throws -> Void) throws -> Value) throws -> Value {
        try replace(place) { temporary in
            func failure() -> CommandError { .outputNotWritten(path: place.path.name, reason: SystemError.last) }
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | OpenedFile.flags, 0o666)
            guard descriptor >= 0 else { throw failure() }
            defer { close(descriptor) }
            let write: (String) throws -> Void = { guard FileWriter.write(Array($0.utf8), to: descriptor) else { throw failure() } }
            return try TextPieces.gather(into: write, body)
        }
    }

    /// Checks, as far as possible in advance, whether a result may go there: hours of work must not end in a wrong name.
    /// - Throws: ``CommandError/outputNotWritten(path:reason:)``.
    static func checkPlace(_ path: NamedPath) throws(CommandError) {
        let folder = URL(fileURLWithPath: try temporaryPath(for: path)).deletingLastPathComponent().path
        guard access(folder, W_OK | X_OK) == 0 else { throw .outputNotWritten(path: path.name, reason: SystemError.last) }
    }

    private static func temporaryPath(for path: NamedPath) throws(CommandError) -> String {
        var status = stat()
        // The rename would replace a device, a pipe or a link such as /dev/stdout by a plain file.
        if lstat(path.location, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw .outputNotWritten(path: path.name, reason: "it is there already and no regular file")
        }
        return URL(fileURLWithPath: path.location).deletingLastPathComponent()
            .appendingPathComponent(".noafw-\(UInt64.random(in: 0 ... .max)).tmp").path
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
