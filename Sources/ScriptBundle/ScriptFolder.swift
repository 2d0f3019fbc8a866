import FoundationEssentials
import Glibc
import REPL
import Support

public struct ScriptFolder: Sendable {
    private let path: String
    /// Whether a link is read as its target. A release contains only what is in its folder.
    private let followsLinks: Bool

    public init(_ path: String) { self.init(path, followsLinks: false) }

    init(_ path: String, followsLinks: Bool) { (self.path, self.followsLinks) = (path, followsLinks) }

    /// Names in the folder except hidden files, sorted by their bytes, independent of file system and locale.
    private func names() throws(ScriptError) -> [[UInt8]] {
        guard let folder = opendir(path) else { throw .folderUnreadable(path, reason: SystemError.last) }
        defer { closedir(folder) }
        var names: [[UInt8]] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name.first != UInt8(ascii: ".") { names.append(name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func read(_ name: String, limit: Int) throws(ScriptError) -> [UInt8] {
        let file = "\(path)/\(name)"
        do {
            return try FileReader.read(file, limit: limit, followsLinks: followsLinks)
        } catch {
            switch error.kind {
            case .missing: throw .fileMissing(file)
            case .tooLarge(let byteCount, let limit): throw .fileTooLong(name, byteCount: byteCount, limit: limit)
            case .noFile, .link, .notOpened, .changing, .notReadable: throw .fileUnreadable(file, reason: error.reason)
            }
        }
    }

    /// The family whose main script is in the folder.
    public func family(among families: [ScriptFamily]) throws(ScriptError) -> ScriptFamily {
        let names = Set(try names())
        let found = families.filter { names.contains(Array($0.mainName.utf8)) }
        if found.count > 1 { throw .familyAmbiguous(path, found) }
        guard let family = found.first else {
            throw .mainMissing(families.map(\.mainName).joined(separator: " or "), place: path)
        }
        return family
    }

    /// The family's scripts by name, and the printable names of all other files except hidden ones.
    public func scriptNames(of family: ScriptFamily) throws(ScriptError) -> (scripts: [String], others: [String]) {
        var scripts: [String] = []
        var others: [String] = []
        for bytes in try names() {
            guard bytes.suffix(family.suffix.utf8.count).elementsEqual(family.suffix.utf8) else {
                others.append(PrintableText.name(bytes))
                continue
            }
            guard let name = String(validating: bytes, as: UTF8.self), ScriptSet.isSafe(name, family) else {
                throw .nameUnsafe(PrintableText.name(bytes), suffix: family.suffix)
            }
            scripts.append(name)
        }
        return (scripts, others)
    }

    /// What can be read of the family's scripts, and why others cannot: who looks for mistakes goes on.
    public func looseScripts(
        of family: ScriptFamily, limits: ScriptLimits = .bundle
    ) throws(ScriptError) -> (files: [ScriptSet.File], unreadable: [(name: String, error: ScriptError)]) {
        var files: [ScriptSet.File] = []
        var unreadable: [(name: String, error: ScriptError)] = []
        var total = 0
        for bytes in try names().prefix(limits.fileCount) where bytes.suffix(family.suffix.utf8.count).elementsEqual(family.suffix.utf8) {
            let name = PrintableText.name(bytes)
            do throws(ScriptError) {
                guard let text = String(validating: bytes, as: UTF8.self), ScriptSet.isSafe(text, family) else {
                    throw ScriptError.nameUnsafe(name, suffix: family.suffix)
                }
                let file = ScriptSet.File(name: text, bytes: try read(text, limit: limits.fileByteCount))
                total += file.bytes.count
                guard total <= limits.totalByteCount else {
                    throw ScriptError.setTooLong(byteCount: total, limit: limits.totalByteCount)
                }
                files.append(file)
            } catch {
                unreadable.append((name, error))
            }
        }
        return (files, unreadable)
    }

    public func scripts(
        _ names: [String], family: ScriptFamily, order: ScriptOrder, scheme: VersionScheme = .app, limits: ScriptLimits
    ) throws(ScriptError) -> ScriptSet {
        guard names.count <= limits.fileCount else { throw .tooManyFiles(names.count, limit: limits.fileCount) }
        var files: [ScriptSet.File] = []
        var total = 0
        for name in names {
            guard ScriptSet.isSafe(name, family) else { throw .nameUnsafe(name, suffix: family.suffix) }
            let file = ScriptSet.File(name: name, bytes: try read(name, limit: limits.fileByteCount))
            files.append(file)
            total += file.bytes.count
            guard total <= limits.totalByteCount else { throw .setTooLong(byteCount: total, limit: limits.totalByteCount) }
        }
        return try ScriptSet(files: files, family: family, order: order, scheme: scheme, limits: limits, place: path)
    }
}

extension ScriptSet {
    /// Reads the scripts in a folder. Other files, such as a manifest, and hidden files are not part of the set.
    public static func load(folder: String, family: ScriptFamily) throws(ScriptError) -> ScriptSet {
        let folder = ScriptFolder(folder, followsLinks: true)
        return try folder.scripts(try folder.scriptNames(of: family).scripts, family: family, order: .app, limits: .unit)
    }
}
