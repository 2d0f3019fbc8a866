import FoundationEssentials
import Glibc
import Support
import ScriptBundle

/// A file or folder of this machine that is to be copied.
struct HostFile: Sendable {
    var location: NamedPath
    /// Below what the command line names; empty for that itself.
    var parts: [String]
    var isFolder: Bool
}

/// Reads and writes what `fs cp` copies on this machine.
enum HostFiles {
    /// More than any unit holds.
    static let fileLimit = 1 << 20
    private static let entryLimit = 4096

    static func kind(_ path: NamedPath) -> mode_t? {
        var status = stat()
        return stat(path.location, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// A file, or a folder with all that is in it, each folder before its content. What is neither, and links in folders, are left out.
    /// - Parameter isWanted: gets the name of each file and folder; a folder goes with what is in it.
    static func tree(_ path: NamedPath, where isWanted: (String) -> Bool = { _ in true }) throws -> [HostFile] {
        var found = [HostFile(location: path, parts: [], isFolder: kind(path) == S_IFDIR)]
        guard found[0].isFolder else { return found }
        try walk(path, [], isWanted, into: &found)
        return found
    }

    private static func walk(
        _ folder: NamedPath, _ parts: [String], _ isWanted: (String) -> Bool, into found: inout [HostFile]
    ) throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.location).sorted()
        } catch {
            throw InputFile.Failure(
                diagnosis: InputFile.unreadable(folder.name, SystemError.text(error), "check the name and the permissions of the folder"))
        }
        for name in names where isWanted(name) {
            let inner = folder.appending(name)
            var status = stat()
            guard lstat(inner.location, &status) == 0 else { continue }
            let kind = status.st_mode & S_IFMT
            guard kind == S_IFREG || kind == S_IFDIR else { continue }
            found.append(HostFile(location: inner, parts: parts + [name], isFolder: kind == S_IFDIR))
            guard found.count <= entryLimit else { throw UnitFileError.tooMany(folder.name, limit: entryLimit) }
            if kind == S_IFDIR { try walk(inner, parts + [name], isWanted, into: &found) }
        }
    }

    static func makeFolder(_ path: NamedPath) throws(CommandError) {
        guard mkdir(path.location, 0o777) != 0, errno != EEXIST || kind(path) != S_IFDIR else { return }
        throw .outputNotWritten(path: path.name, reason: SystemError.last)
    }
}
