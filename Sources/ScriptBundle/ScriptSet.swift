/// The scripts for one unit in hashing and installation order, and their version.
public struct ScriptSet: Sendable, Hashable {
    public struct File: Sendable, Hashable {
        public let name: String
        public let bytes: [UInt8]

        public init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
    }

    /// Suffix of new copies on a unit. Whatever has it is noafw's own.
    public static let copySuffix = ".noafw"

    public let family: ScriptFamily
    public let scheme: VersionScheme
    /// Unchanged, the main script last.
    public let files: [File]
    public let version: String

    /// - Parameter place: where they come from, for messages.
    public init(
        files: [File], family: ScriptFamily, order: ScriptOrder = .app, scheme: VersionScheme = .app,
        limits: ScriptLimits = .unit, place: String = "the script set"
    ) throws(ScriptError) {
        let ordered = order == .app ? Self.sorted(files, family) : files
        try Self.check(ordered.map { ($0.name, $0.bytes.count) }, family, limits, place: place)
        (self.family, self.scheme, self.files) = (family, scheme, ordered)
        version = scheme.version(of: ordered)
    }

    static func check(
        _ files: [(name: String, byteCount: Int)], _ family: ScriptFamily, _ limits: ScriptLimits, place: String
    ) throws(ScriptError) {
        guard files.count <= limits.fileCount else { throw .tooManyFiles(files.count, limit: limits.fileCount) }
        var names: Set<String> = []
        var total = 0
        for file in files {
            guard isSafe(file.name, family) else { throw .nameUnsafe(file.name, suffix: family.suffix) }
            guard names.insert(file.name).inserted else { throw .duplicateName(file.name) }
            guard file.byteCount <= limits.fileByteCount else {
                throw .fileTooLong(file.name, byteCount: file.byteCount, limit: limits.fileByteCount)
            }
            total += file.byteCount
        }
        guard total <= limits.totalByteCount else { throw .setTooLong(byteCount: total, limit: limits.totalByteCount) }
        guard names.contains(family.mainName) else { throw .mainMissing(family.mainName, place: place) }
        guard files.last?.name == family.mainName else { throw .mainNotLast(family.mainName, place: place) }
    }

    /// The line before the main script; Python and Lua read it alike.
    static func versionLine(_ version: String) -> [UInt8] { Array("ARGPT_VERSION=\"\(version)\"\n".utf8) }

    /// Whether these files, as installed, are a release of this version.
    public static func isRelease(_ installed: [File], _ version: String, of family: ScriptFamily) -> Bool {
        let line = versionLine(version)
        let files = installed.map { file in
            let isMain = file.name == family.mainName && file.bytes.starts(with: line)
            return isMain ? File(name: file.name, bytes: Array(file.bytes.dropFirst(line.count))) : file
        }
        return VersionScheme.allCases.contains { (try? ScriptSet(files: files, family: family, scheme: $0))?.version == version }
    }

    /// The files as installed: unchanged, except for the version line before the main script.
    public var installed: [File] {
        files.map { $0.name == family.mainName ? File(name: $0.name, bytes: Self.versionLine(version) + $0.bytes) : $0 }
    }

    private static func sorted(_ files: [File], _ family: ScriptFamily) -> [File] {
        let order = family.appOrder
        func rank(_ name: String) -> Int { name == family.mainName ? order.count + 1 : order.firstIndex(of: name) ?? order.count }
        return files.sorted { (rank($0.name), $0.name) < (rank($1.name), $1.name) }
    }

    /// Paths on the unit are limited to 64 bytes (monocle-micropython, `mpconfigport.h`), less the suffix of an upload.
    static func isSafe(_ name: String, _ family: ScriptFamily) -> Bool {
        let stem = name.utf8.dropLast(family.suffix.utf8.count)
        return name.hasSuffix(family.suffix) && !stem.isEmpty && name.utf8.count <= 56 && stem.first != UInt8(ascii: ".")
            && !name.contains("..") && stem.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }
}

extension UInt8 {
    var isWordByte: Bool {
        let character = Character(UnicodeScalar(self))
        return character.isASCII && (character.isLetter || character.isNumber) || character == "_"
    }
}

extension ScriptSet {
    /// Warnings for the operator; empty for a usual set.
    public var warnings: [String] {
        let unit = ScriptLimits.unit
        var found = files.filter { $0.bytes.starts(with: [0xEF, 0xBB, 0xBF]) }.map {
            "\($0.name) begins with a byte order mark, which \(family.syntax.reader) treats as part of the first word"
        }
        if let main = files.last, main.bytes.starts(with: Array("ARGPT_VERSION=".utf8)) {
            found.append("\(main.name) begins with a version line of its own, which replaces the right one when it runs")
        }
        found += files.filter { $0.bytes.count > unit.fileByteCount }.map {
            "\($0.name) has \($0.bytes.count) bytes; a unit accepts at most \(unit.fileByteCount), so flash refuses it"
        }
        if files.count > unit.fileCount {
            found.append("there are \(files.count) scripts; a unit accepts at most \(unit.fileCount), so flash refuses them")
        }
        return found
    }
}
