import ScriptBundle
import Support

/// What `fs` says of files.
enum FsText {
    private static let sizeColumns = 9

    /// As mpremote writes it: size, then name; a folder's ends in `/`.
    static func line(_ file: UnitFile, under folder: UnitPath) -> String {
        let size = Format.bytes(file.byteCount)
        let padding = String(repeating: " ", count: max(0, sizeColumns - size.count))
        return (file.isFolder ? String(repeating: " ", count: sizeColumns) : padding + size) + "  " + name(file, under: folder)
            + (file.isFolder ? "/" : "")
    }

    /// As a listing of the folder shows it.
    private static func name(_ file: UnitFile, under folder: UnitPath) -> String {
        guard let path = file.path, folder.contains(path) else { return file.name }
        return PrintableText.name(path.parts.dropFirst(folder.parts.count).joined(separator: "/").utf8)
    }

    static func line(_ space: UnitSpace) -> String {
        guard let total = space.total else {
            return "\(Format.bytes(space.used)) bytes used; the unit's firmware does not tell how many are free"
        }
        let percent = total > 0 ? space.used * 100 / total : 0
        return "\(Format.bytes(space.used)) of \(Format.bytes(total)) bytes used (\(percent) %), \(Format.bytes(total - space.used)) free"
    }
}

/// `noafw fs ls --json` and `noafw fs df --json`.
struct FsDocument: Encodable, Sendable {
    struct File: Encodable, Sendable {
        /// From the root, with `/`; the printable name of a file that noafw cannot name.
        var path: String
        var folder: Bool
        var bytes: Int
    }

    struct Space: Encodable, Sendable {
        var used: Int
        var total: Int?
    }

    let schema = "noafw.fs/1"
    @Omitted var files: [File]?
    @Omitted var space: Space?

    init(_ files: [UnitFile]) {
        self.files = files.map { File(path: $0.path.map { "/" + $0.text } ?? $0.name, folder: $0.isFolder, bytes: $0.byteCount) }
        space = nil
    }

    init(_ space: UnitSpace) {
        files = nil
        self.space = Space(used: space.used, total: space.total)
    }
}
