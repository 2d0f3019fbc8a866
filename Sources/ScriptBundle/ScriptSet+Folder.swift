import REPL
import Support

extension ScriptFolder {
    /// The family whose main script lies in it.
    /// - Throws: ``ScriptError`` when there is none, or more than one.
    public func family(among families: [ScriptFamily]) throws(ScriptError) -> ScriptFamily {
        let names = Set(try names())
        let found = families.filter { names.contains(Array($0.mainName.utf8)) }
        if found.count > 1 { throw .familyAmbiguous(path, found) }
        guard let family = found.first else {
            throw .mainMissing(families.map(\.mainName).joined(separator: " or "), place: path)
        }
        return family
    }

    /// The family's scripts by name, and the names of what else lies there, made printable; hidden files are neither.
    /// - Throws: ``ScriptError/nameUnsafe(_:suffix:)`` for a script whose name is not usable on a unit.
    public func scriptNames(
        of family: ScriptFamily
    ) throws(ScriptError) -> (scripts: [String], others: [String]) {
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

    /// - Throws: ``ScriptError``, naming file and place.
    public func scripts(
        _ names: [String], family: ScriptFamily, order: ScriptOrder, scheme: VersionScheme = .app, limits: ScriptLimits
    ) throws(ScriptError) -> ScriptSet {
        guard names.count <= limits.fileCount else { throw .tooManyFiles(names.count, limit: limits.fileCount) }
        var files: [ScriptSet.File] = []
        var total = 0
        for name in names {
            guard ScriptSet.isSafe(name, family) else { throw .nameUnsafe(name, suffix: family.suffix) }
            files.append(ScriptSet.File(name: name, bytes: try read(name, limit: limits.fileByteCount)))
            total += files.last?.bytes.count ?? 0
            guard total <= limits.totalByteCount else { throw .setTooLong(byteCount: total, limit: limits.totalByteCount) }
        }
        return try ScriptSet(files: files, family: family, order: order, scheme: scheme, limits: limits, place: path)
    }
}

extension ScriptSet {
    /// Reads the scripts of a folder; other files, such as a manifest, and hidden ones are not part of the set.
    /// - Throws: ``ScriptError``, naming file and place.
    public static func load(folder: String, family: ScriptFamily) throws(ScriptError) -> ScriptSet {
        let folder = ScriptFolder(folder, followsLinks: true)
        let names = try folder.scriptNames(of: family).scripts
        return try folder.scripts(names, family: family, order: .app, limits: .unit)
    }
}
