import Glibc

/// Sees that a result never takes the place of what it is made of, nor of a private key.
enum OutputGuard {
    /// - Parameters:
    ///   - inputs: every file that the command is given.
    ///   - folder: whose content the result is made of.
    /// - Throws: ``CommandError/outputIsInput(path:)``, ``CommandError/outputInFolder(path:folder:)``,
    ///   ``CommandError/outputHoldsKey(path:)``.
    static func check(_ output: NamedPath, inputs: [NamedPath?], folder: NamedPath? = nil) throws(CommandError) {
        if let own = FileIdentity(output.location), inputs.contains(where: { $0.flatMap { FileIdentity($0.location) } == own }) {
            throw .outputIsInput(path: output.name)
        }
        if let folder, lies(output, in: folder) { throw .outputInFolder(path: output.name, folder: folder.name) }
        if PrivateKeyForm.isIn(file: output) { throw .outputHoldsKey(path: output.name) }
    }

    /// Asks the kernel, as `..` behind a link is not the folder that the path names.
    private static func lies(_ output: NamedPath, in folder: NamedPath) -> Bool {
        guard let wanted = FileIdentity(folder.location) else { return false }
        var place = output.location.lastIndex(of: "/").map { String(output.location[...$0]) } ?? "/"
        while let here = FileIdentity(place) {
            if here == wanted { return true }
            place += "../"
            guard FileIdentity(place) != here else { return false }
        }
        return false
    }
}

/// Two paths with the same one are the same file.
private struct FileIdentity: Equatable {
    let device: dev_t
    let inode: ino_t

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode) = (status.st_dev, status.st_ino)
    }
}
